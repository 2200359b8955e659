// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Takes classes out of a jar, with all classes of the same jar that they need, and moves them to
 * packages of another name. The class files differ from the originals in these names only, and the
 * same jar gives the same bytes. A file that is right already is not touched, since what depends on
 * it would be compiled anew.
 *
 * <p>Arguments: the jar, the directory to write to, the package whose subpackages are moved, its
 * new name, and the classes by their old names, separated by commas.
 */
public final class Repackage {
  private static final int MAGIC = 0xCAFEBABE;
  private static final int UTF8 = 1;

  private final ZipFile jar;
  private final String oldPrefix;
  private final String newPrefix;
  private final Pattern names;

  /** By their old names, with slashes. */
  private final SortedMap<String, byte[]> moved = new TreeMap<>();

  private final Deque<String> open = new ArrayDeque<>();

  private Repackage(ZipFile jar, String oldPackage, String newPackage) {
    this.jar = jar;
    this.oldPrefix = slashes(oldPackage) + "/";
    this.newPrefix = slashes(newPackage) + "/";
    this.names = Pattern.compile(Pattern.quote(oldPrefix) + "[\\w/$]+");
  }

  public static void main(String[] args) throws IOException {
    try (ZipFile jar = new ZipFile(args[0])) {
      Repackage repackage = new Repackage(jar, args[2], args[3]);
      for (String root : args[4].split(",")) {
        repackage.open.add(slashes(root.strip()));
      }
      repackage.moveAll();
      repackage.write(Path.of(args[1]));
    }
  }

  private void moveAll() throws IOException {
    while (!open.isEmpty()) {
      String name = open.remove();
      if (!moved.containsKey(name)) {
        ZipEntry entry = jar.getEntry(name + ".class");
        if (entry == null) {
          throw new IOException(jar.getName() + " has no class " + name.replace('/', '.'));
        }
        moved.put(name, renamed(jar.getInputStream(entry).readAllBytes()));
      }
    }
  }

  /**
   * Class names, descriptors and signatures are texts of the constant pool. Nothing else in a class
   * file depends on how long these are.
   */
  private byte[] renamed(byte[] original) throws IOException {
    ByteArrayInputStream bytes = new ByteArrayInputStream(original);
    DataInputStream in = new DataInputStream(bytes);
    ByteArrayOutputStream result = new ByteArrayOutputStream(original.length + 1024);
    DataOutputStream out = new DataOutputStream(result);
    int magic = in.readInt();
    if (magic != MAGIC) {
      throw new IOException("not a class file");
    }
    out.writeInt(magic);
    out.writeInt(in.readInt()); // the version
    int count = in.readUnsignedShort();
    out.writeShort(count);
    for (int i = 1; i < count; i++) {
      int tag = in.readUnsignedByte();
      out.writeByte(tag);
      if (tag == UTF8) {
        out.writeUTF(renamed(in.readUTF()));
      } else {
        out.write(in.readNBytes(sizeOf(tag)));
        if (tag == 5 || tag == 6) { // a long or a double takes two places
          i++;
        }
      }
    }
    in.transferTo(out);
    return result.toByteArray();
  }

  private static int sizeOf(int tag) throws IOException {
    return switch (tag) {
      case 7, 8, 16, 19, 20 -> 2;
      case 15 -> 3;
      case 3, 4, 9, 10, 11, 12, 17, 18 -> 4;
      case 5, 6 -> 8;
      default -> throw new IOException("unknown constant of kind " + tag);
    };
  }

  private String renamed(String text) {
    Matcher matcher = names.matcher(text);
    StringBuilder result = new StringBuilder();
    while (matcher.find()) {
      open.add(matcher.group());
      matcher.appendReplacement(
          result,
          Matcher.quoteReplacement(newPrefix + matcher.group().substring(oldPrefix.length())));
    }
    return matcher.appendTail(result).toString();
  }

  private void write(Path directory) throws IOException {
    SortedMap<Path, byte[]> files = new TreeMap<>();
    for (Map.Entry<String, byte[]> type : moved.entrySet()) {
      String name = newPrefix + type.getKey().substring(oldPrefix.length()) + ".class";
      files.put(directory.resolve(name), type.getValue());
    }
    Path top = directory.resolve(newPrefix);
    if (Files.exists(top)) {
      try (Stream<Path> found = Files.walk(top)) {
        found
            .filter(file -> Files.isRegularFile(file) && !files.containsKey(file))
            .forEach(Repackage::delete);
      }
    }
    for (Map.Entry<Path, byte[]> file : files.entrySet()) {
      Path path = file.getKey();
      if (!Files.exists(path) || !Arrays.equals(Files.readAllBytes(path), file.getValue())) {
        Files.createDirectories(path.getParent());
        Files.write(path, file.getValue());
      }
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String slashes(String name) {
    return name.replace('.', '/');
  }
}
