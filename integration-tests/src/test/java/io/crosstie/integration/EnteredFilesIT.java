// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jdi.AbsentInformationException;
import com.sun.jdi.Bootstrap;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.Location;
import com.sun.jdi.StringReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.MethodExitEvent;
import com.sun.jdi.event.VMDeathEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import com.sun.jdi.request.MethodExitRequest;
import io.crosstie.testkit.Facility;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How many source files one message of eight bytes enters on its way over shared memory, by a
 * debugger that notes each method which is entered: on the way out from the offer to the commit in
 * the ring, what the duty cycle does before included; on the way in while the core takes in the
 * packet, and while the channel is polled, without the duty cycle that this brings.
 */
@Timeout(180)
@Isolated // beside others the threads meet elsewhere, and more files are entered
final class EnteredFilesIT {
  private static final String OURS = "io.crosstie.";
  private static final String CORE = "io.crosstie.multirail.Endpoint";
  private static final String TAKES_IN = "onPacket";
  private static final String CYCLE = "poll";
  private static final String PORTS = "io.crosstie.multirail.port.PortTable";

  /** What arrived is taken in first where a cycle is late, as it may be under a debugger. */
  private static final String IF_LATE = "drain";

  private static final String PROGRAM = OneMessage.class.getName();

  private final Map<String, Set<String>> files = new TreeMap<>();
  private String phase = "";
  private boolean inCore;
  private boolean inCycle;
  private boolean isLate;

  @ParameterizedTest
  @CsvSource({"true, 22, 27", "false, 65, 40"})
  void aMessageEntersFewFiles(boolean shortcuts, int mostOut, int mostIn) throws Exception {
    Facility.TIME.require("files that a message enters");
    assertEquals("delivered", run(shortcuts));
    for (Map.Entry<String, Set<String>> entry : files.entrySet()) {
      System.out.println(
          (shortcuts ? "short cut, " : "general way, ")
              + entry.getKey()
              + ": "
              + entry.getValue().size()
              + " files "
              + entry.getValue());
    }
    assertTrue(files.get("out").size() <= mostOut, () -> "out: " + files.get("out"));
    assertTrue(files.get("in").size() <= mostIn, () -> "in: " + files.get("in"));
  }

  private String run(boolean shortcuts) throws Exception {
    LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    arguments.get("main").setValue(PROGRAM + " " + shortcuts);
    arguments
        .get("options")
        .setValue(
            "--enable-native-access=ALL-UNNAMED -cp \""
                + System.getProperty("java.class.path")
                + "\"");
    VirtualMachine vm = connector.launch(arguments);
    try {
      watch(vm);
      ByteArrayOutputStream said = new ByteArrayOutputStream();
      vm.process().getInputStream().transferTo(said);
      return said.toString(StandardCharsets.UTF_8).strip();
    } finally {
      vm.process().destroyForcibly();
    }
  }

  private void watch(VirtualMachine vm)
      throws InterruptedException, IncompatibleThreadStateException {
    // a break point: while method entries are watched, all of the program is interpreted
    ClassPrepareRequest loaded = vm.eventRequestManager().createClassPrepareRequest();
    loaded.addClassFilter(PROGRAM);
    loaded.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
    loaded.enable();
    MethodEntryRequest entries = vm.eventRequestManager().createMethodEntryRequest();
    entries.addClassFilter(OURS + "*");
    entries.addClassExclusionFilter(PROGRAM + "*");
    entries.setSuspendPolicy(EventRequest.SUSPEND_NONE);
    MethodExitRequest exits = vm.eventRequestManager().createMethodExitRequest();
    exits.addClassFilter(CORE);
    exits.setSuspendPolicy(EventRequest.SUSPEND_NONE);
    MethodExitRequest ends = vm.eventRequestManager().createMethodExitRequest();
    ends.addClassFilter(PORTS);
    ends.setSuspendPolicy(EventRequest.SUSPEND_NONE);
    while (true) {
      EventSet events = vm.eventQueue().remove();
      for (Event event : events) {
        if (event instanceof VMDeathEvent || event instanceof VMDisconnectEvent) {
          return;
        }
        if (event instanceof ClassPrepareEvent prepared) {
          Location mark = prepared.referenceType().methodsByName("mark").getFirst().location();
          BreakpointRequest marks = vm.eventRequestManager().createBreakpointRequest(mark);
          marks.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
          marks.enable();
        } else if (event instanceof MethodExitEvent exit) {
          onExit(exit.method().name());
        } else if (event instanceof MethodEntryEvent entry) {
          note(entry);
        } else if (event instanceof BreakpointEvent marked) {
          phase =
              ((StringReference) marked.thread().frame(0).getArgumentValues().getFirst()).value();
          if (phase.equals("out")) {
            entries.addThreadFilter(marked.thread());
            exits.addThreadFilter(marked.thread());
            ends.addThreadFilter(marked.thread());
          }
          ends.setEnabled(phase.equals("out"));
          entries.setEnabled(!phase.equals("end"));
          exits.setEnabled(!phase.equals("out") && !phase.equals("end"));
        }
      }
      events.resume();
    }
  }

  private void onExit(String method) {
    inCore &= !method.equals(TAKES_IN);
    inCycle &= !method.equals(CYCLE);
    isLate &= !method.equals(IF_LATE);
  }

  private void note(MethodEntryEvent entry) {
    Location location = entry.location();
    String type = location.declaringType().name();
    String method = entry.method().name();
    if (type.equals(CORE)) {
      inCore |= method.equals(TAKES_IN);
      inCycle |= method.equals(CYCLE);
    }
    isLate |= phase.equals("out") && type.equals(PORTS) && method.equals(IF_LATE);
    if (phase.equals("left")
        || (phase.equals("out") && isLate)
        || (phase.equals("received") && !inCore)
        || (phase.equals("polled") && inCycle)) {
      return; // what a duty cycle does besides
    }
    String way = phase.equals("out") ? "out" : "in";
    boolean unused =
        files.computeIfAbsent(way, w -> new TreeSet<>()).add(folder(type) + sourceOf(location));
    if (phase.equals("out") && type.endsWith(".RingWriter") && method.equals("commit")) {
      phase = "left";
    }
  }

  private static String folder(String type) {
    String outer = type.contains("$") ? type.substring(0, type.indexOf('$')) : type;
    return outer.substring(OURS.length(), outer.lastIndexOf('.') + 1);
  }

  private static String sourceOf(Location location) {
    try {
      return location.sourceName();
    } catch (AbsentInformationException e) { // made by the JVM for a lambda, say
      String type = location.declaringType().name();
      return type.substring(type.lastIndexOf('.', type.indexOf('$')) + 1, type.indexOf('$'))
          + ".java";
    }
  }
}
