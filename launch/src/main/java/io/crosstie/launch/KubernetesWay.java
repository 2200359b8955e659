// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An indexed job of Kubernetes with a headless service: the pod's index is its rank, and rank 0 is
 * found by its name, {@code JOB-0.SERVICE}. The number of pods is in no variable, so the job's
 * description sets it.
 */
final class KubernetesWay implements Way {
  private final Path hostsFile;

  KubernetesWay() {
    this(Path.of("/etc/hosts"));
  }

  /** With another file of hosts. */
  KubernetesWay(Path hostsFile) {
    this.hostsFile = hostsFile;
  }

  private static final String INDEX = "JOB_COMPLETION_INDEX";

  /** The headless service's name. */
  static final String SERVICE = "CROSSTIE_SERVICE";

  @Override
  public @Nullable Membership find(Environment environment) {
    if (!environment.has(INDEX)) {
      return null;
    }
    if (!environment.has(Job.SIZE)) {
      throw new LaunchException(
          INDEX
              + " is set, so this is a pod of an indexed job, but Kubernetes does not tell how many"
              + " there are; set "
              + Job.SIZE
              + " to the job's completions, or to 1");
    }
    int size = environment.number(Job.SIZE, 1, Job.MAX_SIZE);
    int rank = environment.number(INDEX, 0, size - 1);
    if (size == 1) {
      return Exchange.alone("Kubernetes");
    }
    String suffix = "-" + rank;
    String pod = environment.variables().getOrDefault("HOSTNAME", "");
    String service = environment.variables().getOrDefault(SERVICE, serviceOf(pod, hostsFile));
    HostPort at = environment.introducer();
    Placement placement = Placement.UNKNOWN;
    if (at == null) {
      if (!pod.endsWith(suffix) || service.isEmpty()) {
        throw new LaunchException(
            "rank 0 cannot be found: "
                + (service.isEmpty()
                    ? "the pods have no subdomain; set it to the name of a headless service for"
                        + " them, or set "
                        + SERVICE
                        + " to that name"
                    : "HOSTNAME is \"" + pod + "\", which does not end with " + suffix)
                + ", or set "
                + Job.INTRODUCER
                + " to where rank 0 is");
      }
      String job = pod.substring(0, pod.length() - suffix.length());
      at = new HostPort(job + "-0." + service, Job.DEFAULT_PORT);
      placement = Placement.named(IntStream.range(0, size).mapToObj(i -> job + "-" + i).toList());
    }
    Job job =
        new Job(
            rank,
            size,
            environment.key("kubernetes-" + at.host()),
            List.of(at),
            false,
            environment.localSize(0),
            environment.placement(size, placement),
            environment.joinTimeout(),
            "Kubernetes");
    return new Membership(job, new IntroducerClient(job, Introducer.atFirstFree(job)));
  }

  /** Kubernetes writes a pod's full name, {@code POD.SERVICE.NAMESPACE...}, into its hosts file. */
  static String serviceOf(String pod, Path hostsFile) {
    try {
      for (String line : Files.readAllLines(hostsFile)) {
        for (String word : line.replaceFirst("#.*", "").strip().split("\\s+", -1)) {
          if (!pod.isEmpty() && word.startsWith(pod + ".")) {
            return word.substring(pod.length() + 1);
          }
        }
      }
    } catch (IOException e) {
      // then it has to be told
    }
    return "";
  }
}
