import CurlewCore

/// A mapping `HOST:PORT:ADDRESS` as in curl.
///
/// `*` matches any host, and IPv6 addresses may be in brackets.
struct ResolveArgument: ExplainedArgument, Sendable {
  let override: AddressOverride

  init?(argument: String) {
    let (host, rest): (Substring, Substring)
    if argument.first == "[" {
      guard let end = argument.firstIndex(of: "]") else { return nil }
      host = argument[argument.index(after: argument.startIndex)..<end]
      rest = argument[argument.index(after: end)...]
    } else {
      let end = argument.firstIndex(of: ":") ?? argument.endIndex
      host = argument[..<end]
      rest = argument[end...]
    }
    let parts = rest.dropFirst().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard rest.first == ":", parts.count == 2, let port = Int(parts[0]), (1...65535).contains(port) else { return nil }
    var address = parts[1]
    if address.first == "[", address.last == "]" { address = address.dropFirst().dropLast() }
    guard !host.isEmpty, !address.isEmpty else { return nil }
    let name = host == "*" ? nil : (try? Origin(scheme: .http, host: String(host)))?.host
    guard host == "*" || name != nil else { return nil }
    override = AddressOverride(host: name, port: port, address: String(address))
  }

  static func problem(of argument: String) -> String {
    "Write host:port:address, such as example.com:443:127.0.0.1 or example.com:443:[::1]; the host * is any."
  }
}
