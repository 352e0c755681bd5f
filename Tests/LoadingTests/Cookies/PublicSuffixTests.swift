import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct PublicSuffixTests {
  private static let root =
    "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/../shared/data/psl"
  static let isThere = (try? LocalFileSystem().status(root + "/public_suffix_list.dat")) != nil
  private static let list =
    (try? PublicSuffixList(contentsOf: root + "/public_suffix_list.dat")) ?? PublicSuffixList("")

  private static let small = PublicSuffixList(
    """
    // ===BEGIN ICANN DOMAINS===
    com
    uk trailing words
      indented
    co.uk
    *.ck
    !www.ck
    公司.cn
    """)

  @Test(arguments: [
    ("com", "com", nil), ("a.com", "com", "a.com"), ("b.a.com", "com", "a.com"), ("co.uk", "co.uk", nil),
    ("a.co.uk", "co.uk", "a.co.uk"), ("a.uk", "uk", "a.uk"), ("x.ck", "x.ck", nil), ("a.x.ck", "x.ck", "a.x.ck"),
    ("www.ck", "ck", "www.ck"), ("a.www.ck", "ck", "www.ck"), ("ck", "ck", nil), ("unknown", "unknown", nil),
    ("a.unknown", "unknown", "a.unknown"), ("xn--55qx5d.cn", "xn--55qx5d.cn", nil),
    ("a.xn--55qx5d.cn", "xn--55qx5d.cn", "a.xn--55qx5d.cn"),
  ])
  func `the longest rule decides, and an exception before it`(host: String, suffix: String, domain: String?) {
    #expect(Self.small.publicSuffix(of: host) == suffix)
    #expect(Self.small.registrableDomain(of: host) == domain)
  }

  @Test(.enabled(if: isThere, "There is no shared/data/psl beside the package."))
  func
    `the list's own vectors hold`() throws
  {
    var checked = 0
    let text = try #require(
      String(bytes: Data(contentsOf: URL(filePath: Self.root + "/tests/tests.txt")), encoding: .utf8))
    for line in text.split(separator: "\n") where !line.hasPrefix("//") {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 2, words[0] != "null" else { continue }
      checked += 1
      // What no host can be has no domain.
      let host = words[0].hasPrefix(".") ? nil : try? HostName(words[0]).text
      let expected = words[1] == "null" ? nil : try HostName(words[1]).text
      #expect(host.flatMap { Self.list.registrableDomain(of: $0) } == expected, "\(line)")
    }
    #expect(checked > 70)
    #expect(Self.list.count > 9000)
  }

  @Test func `a cookie for a whole public suffix is refused, or is for the host that is one`() throws {
    let at = JarAt(publicSuffixes: Self.small)
    try at.set("a=1; Domain=co.uk; Path=/", from: "https://shop.co.uk/")
    #expect(at.jar.all.isEmpty)
    try at.set("a=1; Domain=co.uk; Path=/", from: "https://co.uk/")
    #expect(try at.sent(to: "https://co.uk/") == "a=1")
    #expect(try at.sent(to: "https://shop.co.uk/") == "")
    try at.set("b=1; Domain=shop.co.uk; Path=/", from: "https://www.shop.co.uk/")
    #expect(try at.sent(to: "https://shop.co.uk/") == "b=1")
  }

  @Test func `a list that is not there is an error`() {
    #expect(throws: FileSystemError.self) { try PublicSuffixList.system(in: MemoryFileSystem()) }
  }

  @Test(
    .enabled(
      if: (try? PublicSuffixList.system()) != nil, "The system has no list of public suffixes (package publicsuffix)."))
  func `a jar knows the system's public suffixes unless it is told others`() throws {
    #expect(SystemPublicSuffixes().problem == nil)
    let jar = MemoryCookieJar()
    for (host, domain) in [("shop.co.uk", "co.uk"), ("me.github.io", "github.io"), ("www.example.com", "com")] {
      let context = CookieContext(url: try #require(URL(string: "https://\(host)/")), date: Date())
      jar.store(["a=1; Domain=\(domain)"], from: context)
      #expect(jar.all.isEmpty, "\(domain)")
    }
    let file = try FileCookieJar("/cookies.txt", in: MemoryFileSystem())
    let context = CookieContext(url: try #require(URL(string: "https://shop.co.uk/")), date: Date())
    file.store(["a=1; Domain=co.uk", "b=1; Domain=shop.co.uk"], from: context)
    #expect(file.memory.all.map(\.domain) == ["shop.co.uk"])
  }

  @Test func `a process reads the system's list once`() {
    /// The references to the list's storage, which two lists have in common only if one is a copy of the other.
    func storage(_ suffixes: SystemPublicSuffixes) -> [UInt8] { withUnsafeBytes(of: suffixes.list) { Array($0) } }
    let first = SystemPublicSuffixes.system
    #expect(storage(first) == storage(.system))
    if first.list != nil { #expect(storage(first) != storage(SystemPublicSuffixes())) }
  }

  @Test func `a system without a list guesses, and says so`() {
    let suffixes = SystemPublicSuffixes(in: MemoryFileSystem())
    #expect(suffixes.problem?.code == ENOENT)
    for (host, suffix) in [
      ("com", "com"), ("a.com", "com"), ("uk", "uk"), ("co.uk", "co.uk"), ("a.co.uk", "co.uk"),
      ("a.b.com.au", "com.au"),
      ("example.uk", "uk"), ("a.example.de", "de"), ("a.co.com", "com"), ("localhost", "localhost"),
    ] {
      #expect(suffixes.publicSuffix(of: host) == suffix, "\(host)")
    }
    #expect(suffixes.registrableDomain(of: "www.shop.co.uk.") == "shop.co.uk.")
    #expect(!suffixes.isPublicSuffix("example.de") && suffixes.isPublicSuffix("co.uk"))
  }

  @Test func `by top-level domains alone the last label is the suffix`() {
    #expect(TopLevelSuffixes().publicSuffix(of: "a.co.uk") == "uk")
    #expect(TopLevelSuffixes().registrableDomain(of: "a.co.uk") == "co.uk")
    #expect(TopLevelSuffixes().registrableDomain(of: "localhost") == nil)
  }
}
