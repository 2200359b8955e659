// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
'use strict';

const COLOURS = ['#1f77b4', '#ff7f0e', '#2ca02c', '#9467bd', '#8c564b', '#17becf'];
const KEPT_MS = 60000;
const SILENT_MS = 2000;
const LOADS = [20, 60, 120, 180, 300, 500, 1000];
const byId = (id) => document.getElementById(id);
const count = (n) => n.toLocaleString('en');
const ms = (n) => (n < 10 ? n.toFixed(1) : n.toFixed(0)) + ' ms';
const bytes = (n) => (n / 1e6).toLocaleString('en', {maximumFractionDigits: 1}) + ' MB';

let chart = null;
let cards = [];

function show(id, text, bad) {
  const element = byId(id);
  element.textContent = text;
  element.classList.toggle('bad', Boolean(bad));
}

function notice(text) {
  byId('notice').textContent = text;
  byId('notice').hidden = !text;
}

async function order(path, words) {
  try {
    const answer = await fetch(path, {
      method: 'POST',
      headers: {'Content-Type': 'application/json'},
      body: JSON.stringify(words || {}),
    });
    const told = await answer.json();
    notice(answer.ok ? '' : told.error);
  } catch (e) {
    notice('the node does not answer: ' + e.message);
  }
}

function makeChart(state) {
  const datasets = state.rails.map((rail, i) => ({
    label: rail.name, data: [], borderColor: COLOURS[i % COLOURS.length], borderWidth: 2,
  }));
  datasets.push({label: 'total', data: [], borderColor: '#1d2733', borderWidth: 1.5, borderDash: [5, 3]});
  state.rails.forEach((rail, i) => datasets.push({
    label: 'kernel sends, ' + rail.name, data: [], borderColor: COLOURS[i % COLOURS.length] + '66',
    borderWidth: 1, borderDash: [2, 2],
  }));
  datasets.push({label: 'TCP beside', data: [], borderColor: '#c62a2f', borderWidth: 1});
  chart = new Chart(byId('goodput'), {
    type: 'line',
    data: {datasets},
    options: {
      animation: false,
      parsing: false,
      normalized: true,
      maintainAspectRatio: false,
      elements: {point: {radius: 0}},
      interaction: {mode: 'nearest', axis: 'x', intersect: false},
      scales: {
        x: {type: 'linear', ticks: {callback: (t) => new Date(t).toLocaleTimeString('en-GB'), maxTicksLimit: 7, maxRotation: 0}},
        y: {beginAtZero: true, suggestedMax: 150},
      },
      plugins: {legend: {labels: {boxWidth: 14, boxHeight: 2}}},
    },
  });
}

function plot(sample) {
  const rails = sample.goodput.length;
  const sets = chart.data.datasets;
  const values = [...sample.goodput, sample.total, ...sample.kernel, sample.tcp];
  values.forEach((value, i) => sets[i].data.push({x: sample.timeMs, y: value}));
  const oldest = sample.timeMs - KEPT_MS;
  for (const set of sets) {
    while (set.data.length && set.data[0].x < oldest) {
      set.data.shift();
    }
  }
  chart.options.scales.x.min = oldest;
  chart.options.scales.x.max = sample.timeMs;
  for (let i = 0; i < rails; i++) {
    cards[i].dataset.mbit = sample.goodput[i];
  }
}

function makeCards(state) {
  byId('rails').replaceChildren();
  cards = state.rails.map((rail, i) => {
    const card = byId('rail').content.firstElementChild.cloneNode(true);
    card.dataset.rail = rail.name;
    card.querySelector('.dot').style.background = COLOURS[i % COLOURS.length];
    card.querySelector('.name').textContent = rail.name;
    for (const button of card.querySelectorAll('button')) {
      button.addEventListener('click', async () => {
        const deed = button.dataset.deed;
        button.disabled = true;
        await order('api/rails/' + rail.name + '/' + deed,
            deed === 'loss' ? {percent: Number(card.querySelector('.percent').value)} : {});
        button.disabled = false;
      });
    }
    byId('rails').append(card);
    return card;
  });
}

function condition(rail) {
  if (!rail.device) {
    return 'no interface: the network is disconnected';
  }
  return rail.device + ' ' + rail.address + (rail.up ? '' : ', interface down')
      + (rail.fault && rail.fault !== 'down' ? ', ' + rail.fault : '');
}

function showRails(state) {
  state.rails.forEach((rail, i) => {
    const card = cards[i];
    const traffic = state.traffic[i];
    card.classList.toggle('hurt', rail.state !== 'ACTIVE');
    const label = card.querySelector('.state');
    label.textContent = rail.state;
    label.className = 'state ' + rail.state;
    card.querySelector('.where').textContent = condition(rail);
    card.querySelector('.counts').textContent =
        `${Number(card.dataset.mbit || 0).toFixed(0)} Mbit/s · round trip ${ms(rail.rttMs)} · sent again ${bytes(rail.retransmitted)}`
        + ` · failed over ${rail.failovers}, back ${rail.failbacks}`
        + (traffic ? ` · kernel: sent ${bytes(traffic.sent)}, arrived ${bytes(traffic.arrived)},`
          + ` of it payload ${bytes(traffic.payload)}` : '');
  });
}

function showStreams(state) {
  const receiver = state.receiver;
  if (!receiver || !state.sent) {
    return;
  }
  const sum = (key) => receiver.streams.reduce((all, stream) => all + stream[key], 0);
  const lost = sum('lost');
  const wrong = sum('duplicated') + sum('corrupt') + sum('outOfOrder');
  show('sent', count(state.sent.bulk + state.sent.heartbeats));
  show('delivered', count(sum('delivered')));
  show('lost', count(lost), lost > 0);
  show('wrong', count(wrong), wrong > 0);
  show('under-way', count(state.sent.underWay));
  show('gap-cut', state.cutGapMs === null ? '–' : ms(state.cutGapMs));
  show('gap-last', ms(receiver.gaps.lastMs));
  show('gap-p99', ms(receiver.gaps.p99Ms));
  show('gap-max', ms(receiver.gaps.maxMs));
  const rows = [
    ['stream', (stream) => stream.name],
    ['sent', (stream) => count(state.sent[stream.name])],
    ['delivered', (stream) => count(stream.delivered)],
    ['lost', (stream) => count(stream.lost)],
    ['repeated', (stream) => count(stream.duplicated)],
    ['damaged', (stream) => count(stream.corrupt)],
    ['disordered', (stream) => count(stream.outOfOrder)],
  ];
  byId('streams').replaceChildren(...rows.map(([name, value], i) => {
    const row = document.createElement('tr');
    row.dataset.row = name;
    const cells = [name, ...receiver.streams.map(value)];
    row.append(...cells.map((text, column) => {
      const cell = document.createElement(i === 0 || column === 0 ? 'th' : 'td');
      cell.textContent = text;
      return cell;
    }));
    return row;
  }));
  const tcp = receiver.tcp;
  byId('beside').textContent = tcp.kind
    ? `${tcp.kind} beside, over the same interfaces: ${count(tcp.messages)} messages, gap last second ${ms(tcp.gaps.lastMs)},`
        + ` p99 ${ms(tcp.gaps.p99Ms)}, longest ${ms(tcp.gaps.maxMs)}, silent for ${ms(tcp.gaps.silenceMs)}`
    : '';
  byId('lives').textContent = `The streams' life number ${state.session}; the receiver was found restarted`
      + ` ${state.restarts} times and lost ${state.losses} times, which left the fate of ${count(state.unknown)}`
      + ` messages unknown. The receiver's account is ${ms(state.reportAgeMs)} old.`;
}

function showCommands(state) {
  const name = state.container;
  byId('outside').hidden = !name;
  byId('start-over').hidden = !name; // elsewhere nobody would start the sender anew
  if (!name) {
    return;
  }
  const lines = [];
  for (const rail of state.rails) {
    const address = rail.address || '';
    lines.push(`docker network disconnect ${rail.name} ${name}`);
    lines.push(`docker network connect ${address ? '--ip ' + address + ' ' : ''}${rail.name} ${name}`);
    if (rail.device) {
      lines.push(`docker exec ${name} ip link set dev ${rail.device} down   # then up`);
    }
  }
  const peer = name.replace('sender', 'receiver');
  lines.push(`docker pause ${peer}   # then unpause`);
  lines.push(`docker kill ${peer}; docker start ${peer}`);
  const text = lines.join('\n');
  if (byId('commands').textContent !== text && !String(window.getSelection())) {
    byId('commands').textContent = text;
  }
}

function showState(state) {
  const verdict = byId('verdict');
  if (state.verdict) {
    verdict.textContent = state.verdict.text;
    verdict.className = state.verdict.colour;
  }
  showStreams(state);
  showRails(state);
  showCommands(state);
  byId('reinjection').checked = state.reinjection;
  byId('pause').textContent = state.paused ? 'go on' : 'hold back';
  byId('pause').dataset.paused = state.paused;
  if (document.activeElement !== byId('load')) {
    byId('load').value = state.loadMbit;
  }
  byId('events').textContent = state.events.join('\n');
}

async function begin() {
  for (const load of LOADS) {
    byId('load').append(new Option(load, load));
  }
  byId('reinjection').addEventListener('change', (e) => order('api/reinjection', {on: e.target.checked}));
  byId('load').addEventListener('change', (e) => {
    order('api/stream', {mbit: Number(e.target.value)});
    e.target.blur();
  });
  byId('pause').addEventListener('click', (e) => order('api/stream', {paused: e.target.dataset.paused !== 'true'}));
  byId('reset').addEventListener('click', () => order('api/reset'));
  byId('start-over').addEventListener('click', () => order('api/start-over'));
  const state = await (await fetch('api/state')).json();
  makeCards(state);
  makeChart(state);
  for (const sample of await (await fetch('api/history')).json()) {
    plot(sample);
  }
  const events = new EventSource('api/events');
  let heard = Date.now();
  const silent = () => {
    byId('verdict').className = 'grey';
    byId('verdict').textContent = 'the sender does not answer this page; what it shows is old; trying again …';
  };
  setInterval(() => {
    if (Date.now() - heard > SILENT_MS) {
      silent();
    }
  }, SILENT_MS / 2);
  events.onmessage = (event) => {
    heard = Date.now();
    const now = JSON.parse(event.data);
    plot(now.sample);
    showState(now);
    if (!document.hidden) {
      chart.update('none');
    }
  };
  events.onerror = silent;
}

begin().catch((e) => {
  notice('the page cannot begin: ' + e.message + '; load it again');
});
