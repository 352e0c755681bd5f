import CurlewCore
import CurlewLoading
import FoundationEssentials
import FuzzKit

/// Fuzzes Set-Cookie fields: each line is one, for the same URL.
@main enum FuzzCookies: FuzzTarget {
  static func read(_ bytes: Data) {
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    guard let url = URL(string: "https://www.example.com/a/b?c") else { return }
    let context = CookieContext(url: url, date: Date(timeIntervalSince1970: 1_795_000_000))
    let jar = MemoryCookieJar(publicSuffixes: TopLevelSuffixes(), limits: CookieLimits(perDomain: 10, total: 20))
    jar.store(lines, from: context)
    let kept = jar.cookies(for: context)
    demand(
      Dictionary(grouping: kept, by: \.domain).values.allSatisfy { $0.count <= 10 },
      "a domain has more cookies than the limit")
    for cookie in kept {
      let text = cookie.name + cookie.value
      demand(!text.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }, "a line break is sent")
      demand(!cookie.value.utf8.contains(UInt8(ascii: ";")), "a cookie contains another one")
    }
    // The same fields again replace what they stored.
    jar.store(lines, from: context)
    demand(jar.cookies(for: context).count == kept.count, "the same fields store other cookies")
  }
}
