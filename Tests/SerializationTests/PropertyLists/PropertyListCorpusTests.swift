import CurlewSerialization
import FoundationEssentials
import Testing

/// The lists of libplist's tests.
private enum Corpus {
  static let directory =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
    + "/../shared/data/plist/test/data/"
  static let names = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
  static func read(_ name: String) -> Data { FileManager.default.contents(atPath: directory + name) ?? Data() }
}

@Suite(.enabled(if: !Corpus.names.isEmpty, "shared/data/plist is not there"))
struct PropertyListCorpusTests {
  /// Neither XML nor binary, or broken by intent.
  static let refused: Set<String> = [
    "amp.plist", "invalid_tag.plist", "j1.json", "j2.json", "int64_min_max.json", "malformed_dict.bplist", "o1.ostep",
    "o2.ostep",
    "o3.ostep", "recursion.bplist", "test.strings",
  ]

  @Test(arguments: Corpus.names) func `a list is right or refused`(name: String) throws {
    let data = Corpus.read(name)
    guard !Self.refused.contains(name) else {
      #expect(throws: PropertyListError.self) { try PropertyList(parsing: data) }
      return
    }
    let value = try PropertyList(parsing: data)
    #expect(try PropertyList(parsing: value.data(.binary)) == value)
    if name != "uid.bplist" { #expect(try PropertyList(parsing: value.data(.xml)) == value) }
  }

  @Test(arguments: ["order", "signed", "unsigned", "signedunsigned"])
  func `the same list in both formats is the same value`(name: String) throws {
    let xml = try PropertyList(parsing: Corpus.read(name + ".plist"))
    #expect(try PropertyList(parsing: Corpus.read(name + ".bplist")) == xml)
  }
}
