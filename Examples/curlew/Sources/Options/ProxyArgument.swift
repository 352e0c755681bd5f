import CurlewCore
import CurlewLoading

/// The URL of a proxy, or `env`.
enum ProxyArgument: ExplainedArgument, Sendable {
  case fixed(Proxy)
  case environment

  init?(argument: String) {
    if argument == "env" {
      self = .environment
    } else if let proxy = Proxy(argument) {
      self = .fixed(proxy)
    } else {
      return nil
    }
  }

  static func problem(of argument: String) -> String {
    "Write http://host:port, socks5://host:port or env."
  }
}
