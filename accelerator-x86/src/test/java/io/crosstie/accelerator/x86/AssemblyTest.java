// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.accelerator.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The machine code is what its assembly says. */
class AssemblyTest {
  private static final Path SOURCES = Path.of("src/main/asm");
  private static final int HEX_PER_LINE = 88;

  private static final Facility BINUTILS = Facility.of(AssemblyTest::whyNoBinutils);

  @TempDir private Path folder;

  /** One that makes code for x86-64; by another machine's it may be missing. */
  private static String whyNoBinutils() {
    try {
      Path object = Files.createTempFile("crosstie-as", ".o");
      try {
        Facility.run("as", "--64", "-o", object.toString(), "/dev/null");
        Facility.run("objcopy", "--version");
      } finally {
        Files.delete(object);
      }
      return null;
    } catch (IOException e) {
      return "GNU as and objcopy for x86-64 (package binutils) are needed";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }

  @ParameterizedTest
  @CsvSource({
    "stream-copy, false, STREAM_COPY",
    "order, false, ORDER",
    "crc32c-avx512, false, COPY_AVX512",
    "crc32c-avx512, true, STREAM_AVX512",
    "crc32c-avx2, false, COPY_AVX2",
    "crc32c-avx2, true, STREAM_AVX2"
  })
  void theBytesAreThoseOfTheAssembly(String source, boolean streaming, String constant)
      throws Exception {
    BINUTILS.require("that the machine code is what its assembly says");
    byte[] assembled = assemble(source, streaming);
    byte[] held = MachineCode.bytes((String) Loops.class.getDeclaredField(constant).get(null));
    assertEquals(
        lines(assembled), lines(held), () -> "Loops." + constant + " is not " + source + ".s");
  }

  /** No loop without its assembly, and no assembly that nobody compares. */
  @Test
  void allOfThemAreCompared() throws Exception {
    Set<String> sources = new TreeSet<>();
    try (Stream<Path> files = Files.list(SOURCES)) {
      files.map(file -> file.getFileName().toString()).forEach(sources::add);
    }
    assertEquals(
        Set.of("crc32c-avx2.s", "crc32c-avx512.s", "order.s", "parts.inc", "stream-copy.s"),
        sources);
    assertEquals(6, Loops.class.getDeclaredFields().length);
  }

  private byte[] assemble(String source, boolean streaming) throws Exception {
    Path object = folder.resolve("loop.o");
    Path code = folder.resolve("loop.bin");
    List<String> command = new ArrayList<>(List.of("as", "--64", "-I", SOURCES.toString()));
    if (streaming) {
      command.addAll(List.of("--defsym", "STREAMING=1"));
    }
    command.addAll(List.of("-o", object.toString(), SOURCES.resolve(source + ".s").toString()));
    Facility.run(command.toArray(String[]::new));
    Facility.run("objcopy", "-O", "binary", "-j", ".text", object.toString(), code.toString());
    byte[] bytes = Files.readAllBytes(code);
    assertTrue(bytes.length > 0, source);
    return bytes;
  }

  /** As they stand in the Java source. */
  private static String lines(byte[] code) {
    return HexFormat.of().formatHex(code).replaceAll("(.{" + HEX_PER_LINE + "})", "$1\n");
  }
}
