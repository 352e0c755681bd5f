import CurlewCore
import Glibc

/// The hosts that `NO_PROXY` names, which are reached directly.
///
/// The entries are separated by commas or blanks. `*` alone stands for all hosts.
/// A name stands for itself and all names below it, with or without a dot before it; dots at the end do not matter. An address stands for
/// itself, and with a number of bits (`10.0.0.0/8`, `fd00::/8`) for its network; `0.0.0.0/0` is each IPv4 address, where curl takes it for
/// that address alone. An entry with a port (`host:8080`, `[::1]:8080`), which curl does not know, stands for that port alone.
struct ProxyExceptions: Sendable {
  /// One entry of the list.
  fileprivate struct Entry {
    var rule: Rule
    var port: Int?
  }

  fileprivate enum Rule {
    case name(String)
    case network(address: [UInt8], bits: Int)
  }

  private let entries: [Entry]
  private let isEverything: Bool

  init(_ list: String) {
    isEverything = list == "*"
    entries = list.split { $0 == "," || $0 == " " || $0 == "\t" }.compactMap { Entry($0) }
  }

  /// Returns whether an origin is reached directly.
  func contains(_ origin: Origin) -> Bool {
    isEverything || entries.contains { $0.contains(origin) }
  }

  /// Returns the bytes of an IP address; nil for any other text.
  fileprivate static func address(_ text: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
    return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
  }
}

extension ProxyExceptions.Entry {
  /// Reads `name`, `address` or `address/bits`, with or without a port; nil for an entry that matches nothing.
  fileprivate init?(_ word: Substring) {
    var text = word
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else { return nil }
      let rest = text[text.index(after: end)...]
      text = text[text.index(after: text.startIndex)..<end]
      if rest.first == ":" {
        guard let port = Int(rest.dropFirst()) else { return nil }
        self.port = port
      } else {
        text += rest
      }
    } else if let colon = text.firstIndex(of: ":"), text[text.index(after: colon)...].firstIndex(of: ":") == nil {
      guard let port = Int(text[text.index(after: colon)...]) else { return nil }
      self.port = port
      text = text[..<colon]
    }
    let slash = text.firstIndex(of: "/")
    if let address = ProxyExceptions.address(String(text[..<(slash ?? text.endIndex)])) {
      let most = address.count * 8
      guard let bits = slash.map({ Int(text[text.index(after: $0)...]) }) ?? most, (0...most).contains(bits) else {
        return nil
      }
      rule = .network(address: address, bits: bits)
      return
    }
    if text.last == "." { text = text.dropLast() }
    if text.first == "." { text = text.dropFirst() }
    guard !text.isEmpty else { return nil }
    // A name outside ASCII is compared as the origin has it.
    rule = .name((try? Origin(scheme: .http, host: String(text)).host) ?? text.lowercased())
  }

  fileprivate func contains(_ origin: Origin) -> Bool {
    guard port == nil || port == origin.port else { return false }
    switch rule {
    case .name(let name):
      guard !origin.isIPAddress else { return false }
      let host = origin.host.hasSuffix(".") ? origin.host.dropLast() : origin.host[...]
      return host == name || host.hasSuffix("." + name)
    case .network(let address, let bits):
      guard origin.isIPAddress, let other = ProxyExceptions.address(origin.host), other.count == address.count else {
        return false
      }
      let whole = bits / 8
      guard address.prefix(whole) == other.prefix(whole) else { return false }
      let rest = UInt8(bits % 8)
      return rest == 0 || (address[whole] ^ other[whole]) >> (8 - rest) == 0
    }
  }
}
