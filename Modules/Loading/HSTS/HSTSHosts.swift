public import CurlewCore
import CurlewStorage
import FoundationEssentials

/// The hosts that are requested over TLS only, in memory and in a file of curl's format.
///
/// The file is read once, when the list is created, and written by `save`, as a whole: after a crash the old file is still there. If two
/// processes save to one file, the last save wins. `curl --hsts` reads and writes the same file. It is not secret, but says which hosts
/// were visited: only its owner can read it. Safe from any isolation.
public final class HSTSHosts: Sendable {
  /// The most hosts that are kept, 10,000; beyond it the policy that ends first is dropped.
  public static let limit = 10_000
  /// The largest file that is read, 8 MiB.
  public static let maximumFileBytes = 8 << 20

  /// The policy of one host.
  struct Policy: Equatable {
    var end: HTTPDate
    var includesSubdomains: Bool
  }

  private let policies: Guarded<[String: Policy]>
  private let file: AtomicFile?

  /// Creates an empty list that is kept in memory only.
  public init() {
    policies = Guarded([:])
    file = nil
  }

  /// Reads a file; a missing file is an empty list. Blocks.
  ///
  /// Lines that curl would not read are ignored.
  ///
  /// - Throws: `FileSystemError` when the file cannot be read, with `EFBIG` when it is larger than `maximumFileBytes`.
  public init(_ path: String, in files: any FileSystem = LocalFileSystem()) throws(FileSystemError) {
    let file = AtomicFile(path, access: .owner, in: files)
    let bytes = try file.read(upTo: Self.maximumFileBytes) ?? Data()
    policies = Guarded(HSTSFile.policies(in: String(decoding: bytes, as: UTF8.self), limit: Self.limit))
    self.file = file
  }

  /// Writes the hosts whose policy has not ended to the file; does nothing without one. Blocks.
  ///
  /// - Throws: `FileSystemError`; the old file is then unchanged.
  public func save(at date: HTTPDate = HTTPDate(SystemClock().date)) throws(FileSystemError) {
    let current = policies.withLock { $0.filter { $0.value.end > date } }
    try file?.write(Data(HSTSFile.text(of: current).utf8))
  }

  /// Returns whether a host, or a domain above it with all its names, is requested over TLS only.
  ///
  /// - Parameter host: The host in any form; an IP address never is. A dot at the end does not matter.
  public func contains(_ host: String, at date: HTTPDate) -> Bool {
    guard let name = Self.name(host) else { return false }
    return policies.withLock { policies in
      guard !policies.isEmpty else { return false }
      if let own = policies[name], own.end > date { return true }
      var rest = name[...]
      while let dot = rest.firstIndex(of: ".") {
        rest = rest[rest.index(after: dot)...]
        if let above = policies[String(rest)], above.includesSubdomains, above.end > date { return true }
      }
      return false
    }
  }

  /// Sets the policy of a host, such as one that is known before its first response.
  ///
  /// - Parameters:
  ///   - host: The host in any form; an IP address is ignored.
  ///   - end: When the policy ends; nil removes it. A domain above the host may still have one.
  ///   - includesSubdomains: Whether it is for all names below the host, too.
  public func set(_ host: String, until end: HTTPDate?, includesSubdomains: Bool = false) {
    guard let name = Self.name(host) else { return }
    policies.withLock { policies in
      policies[name] = end.map { Policy(end: $0, includesSubdomains: includesSubdomains) }
      guard policies.count > Self.limit,
        let first = policies.min(by: { ($0.value.end, $0.key) < ($1.value.end, $1.key) })
      else { return }
      policies[first.key] = nil
    }
  }

  /// Returns the canonical name of a host, without a dot at its end; nil for an address and for what is no host.
  static func name(_ host: String) -> String? {
    guard let origin = try? Origin(scheme: .https, host: host), !origin.isIPAddress else { return nil }
    return origin.host.hasSuffix(".") ? String(origin.host.dropLast()) : origin.host
  }
}

extension HSTSHosts: CustomReflectable {
  /// The number of hosts.
  public var customMirror: Mirror { Mirror(self, children: ["count": policies.withLock { $0.count }]) }
}

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
