// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A quota is found wherever it is set, and then nothing spins. */
final class CpuBudgetTest {
  @TempDir private Path root;

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  @Test
  void noCgroups() {
    assertFalse(CpuBudget.hasQuota(root));
  }

  @Test
  void unlimited() throws IOException {
    write("proc/self/cgroup", "0::/app/one\n");
    write("sys/fs/cgroup/app/one/cpu.max", "max 100000\n");
    assertFalse(CpuBudget.hasQuota(root));
  }

  @Test
  void ownGroup() throws IOException {
    write("proc/self/cgroup", "0::/app/one\n");
    write("sys/fs/cgroup/app/one/cpu.max", "350000 100000\n");
    assertTrue(CpuBudget.hasQuota(root));
  }

  @Test
  void groupAbove() throws IOException {
    write("proc/self/cgroup", "0::/app/one\n");
    write("sys/fs/cgroup/app/one/cpu.max", "max 100000\n");
    write("sys/fs/cgroup/app/cpu.max", "200000 100000\n");
    assertTrue(CpuBudget.hasQuota(root));
  }

  @Test
  void containerThatSeesOnlyItself() throws IOException {
    write("proc/self/cgroup", "0::/docker/0123\n");
    write("sys/fs/cgroup/cpu.max", "50000 100000\n");
    assertTrue(CpuBudget.hasQuota(root));
  }

  @Test
  void versionOne() throws IOException {
    write("proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/x\n");
    write("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n");
    assertFalse(CpuBudget.hasQuota(root));
    write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "20000\n");
    assertTrue(CpuBudget.hasQuota(root));
  }

  @Test
  void pathThatLeadsOutside() throws IOException {
    write("proc/self/cgroup", "0::/../../etc\nnonsense\n");
    write("etc/cpu.max", "1 2\n");
    assertFalse(CpuBudget.hasQuota(root));
  }

  @Test
  void spinsOnlyWhereThereIsRoom() {
    assertEquals(0, Idle.adaptive(new CpuBudget(2, false)).mostSpinNs);
    assertEquals(0, Idle.adaptive(new CpuBudget(64, true)).mostSpinNs);
    assertTrue(Idle.adaptive(new CpuBudget(3, false)).mostSpinNs > 0);
    assertTrue(Idle.adaptive(new CpuBudget(2, false)).toString().contains("2 processors"));
  }
}
