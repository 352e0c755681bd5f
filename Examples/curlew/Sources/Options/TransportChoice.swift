import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import CurlewURLSessionTransport

/// The list of transports; the only place where the tool names them.
enum TransportList {
  /// Returns the transports, each of which sends up to `parallel` requests at once.
  ///
  /// To add one, add a line.
  static func registry(parallel: Int) -> TransportRegistry {
    let transports = TransportRegistry()
    transports.add("curl") {
      var configuration = CurlTransport.Configuration()
      configuration.requestsPerOrigin = max(configuration.requestsPerOrigin, parallel)
      configuration.connectionsKept = max(configuration.connectionsKept, parallel)
      return try CurlTransport(configuration)
    }
    transports.add("urlsession") { URLSessionTransport() }
    return transports
  }

  /// The names of all transports.
  static let names = registry(parallel: 1).names
}

/// The choice of transport: a name, or for each request the first that can send it.
enum TransportChoice: ExpressibleByArgument, Hashable, Sendable {
  case named(String)
  case automatic

  /// The name that stands for the choice by capabilities.
  private static let automaticName = "auto"

  static var allValueStrings: [String] { TransportList.names + [automaticName] }

  init?(argument: String) {
    if argument == Self.automaticName {
      self = .automatic
    } else if TransportList.names.contains(argument) {
      self = .named(argument)
    } else {
      return nil
    }
  }

  var defaultValueDescription: String {
    switch self {
    case .named(let name): name
    case .automatic: Self.automaticName
    }
  }

  /// Creates a transport that sends up to `parallel` requests at once.
  ///
  /// - Throws: `NetworkError`.
  func make(parallel: Int) throws -> any Transport {
    let transports = TransportList.registry(parallel: parallel)
    switch self {
    case .named(let name): return try transports.transport(named: name)
    case .automatic: return transports
    }
  }
}
