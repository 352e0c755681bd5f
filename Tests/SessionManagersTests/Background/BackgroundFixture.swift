import CurlewCore
import CurlewDownload
import CurlewRequests
import CurlewSession
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

extension ComponentName<BackgroundHandler> {
  static let log = Self("log")
  static let other = Self("other")
}

/// The ends that a handler has received.
final class BackgroundLog: Sendable {
  let ends = Collected<BackgroundEnd>()

  var names: ComponentNames {
    var names = ComponentNames()
    names[.log] = BackgroundHandler { [ends] end in ends.append(end) }
    return names
  }

  /// Each end as a line, in the order of the numbers.
  var lines: [String] { ends.all.sorted { $0.number < $1.number }.map(\.line) }
}

extension BackgroundEnd {
  var line: String {
    switch result {
    case .file(let path, let length): "\(number) file \(path.split(separator: "/").last ?? "") \(length)"
    case .response(let head, let body):
      "\(number) response \(head.status.code) \(String(decoding: body, as: UTF8.self))"
    case .failure(let kind, _): "\(number) failure \(kind.rawValue)"
    case .cancelled: "\(number) cancelled"
    }
  }
}

extension Fixture {
  static func background(
    _ directory: String, _ names: ComponentNames, _ identifier: String = "birds", manager: URLSessionManager? = nil
  ) async throws -> BackgroundSession {
    try await BackgroundSession(
      identifier, in: directory, of: manager ?? Fixture.manager(Carrier.curl.configuration), names: names)
  }
}
