import CurlewCore

/// Reads and writes curl's file of hosts: one host a line, and the end of its policy in GMT.
///
/// `.example.com "20271231 23:59:59"`; the dot stands for all names below the host, and `unlimited` for a policy without an end.
enum HSTSFile {
  private static let unlimited = "unlimited"

  /// Returns the policies of a file; ignores comments and invalid lines.
  ///
  /// Of two lines for a host, the one that ends later counts.
  static func policies(in text: String, limit: Int) -> [String: HSTSHosts.Policy] {
    var policies: [String: HSTSHosts.Policy] = [:]
    for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      guard let (name, policy) = entry(in: Substring(line)), policies.count < limit || policies[name] != nil else {
        continue
      }
      if let other = policies[name], other.end >= policy.end { continue }
      policies[name] = policy
    }
    return policies
  }

  private static func entry(in line: Substring) -> (name: String, policy: HSTSHosts.Policy)? {
    let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
    guard parts.count == 3, let word = parts[0].split(whereSeparator: { $0 == " " || $0 == "\t" }).first,
      !word.hasPrefix("#"), let name = HSTSHosts.name(String(word.drop { $0 == "." })), let end = date(parts[1])
    else { return nil }
    return (name, HSTSHosts.Policy(end: end, includesSubdomains: word.hasPrefix(".")))
  }

  /// Reads `20271231 23:59:59`.
  private static func date(_ text: Substring) -> HTTPDate? {
    if text == unlimited { return .latest }
    let bytes = Array(text.utf8)
    guard bytes.count == 17, bytes[8] == 0x20 else { return nil }
    let digits = String(text)
    let day = digits.prefix(8)
    let written = "\(day.prefix(4))-\(day.dropFirst(4).prefix(2))-\(day.suffix(2))T\(digits.suffix(8))Z"
    return InternetDate.parse(written).map { HTTPDate($0) }
  }

  /// Returns the text of a file with these policies, in the order of their names.
  static func text(of policies: [String: HSTSHosts.Policy]) -> String {
    var text = "# Your HSTS cache. https://curl.se/docs/hsts.html\n# Written by Curlew; a line is a host.\n"
    for (name, policy) in policies.sorted(by: { $0.key < $1.key }) {
      text += (policy.includesSubdomains ? "." : "") + name + " \"" + Self.text(of: policy.end) + "\"\n"
    }
    return text
  }

  private static func text(of end: HTTPDate) -> String {
    guard end < .latest, let text = InternetDate.text(end.date) else { return unlimited }
    return text.filter { $0 != "-" && $0 != "Z" }.map { $0 == "T" ? " " : String($0) }.joined()
  }
}
