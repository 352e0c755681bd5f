import ArgumentParser
import CurlewCore
import CurlewLoading

/// The URL of a proxy, or `env`.
enum ProxyArgument: ExpressibleByArgument, Sendable {
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
}
