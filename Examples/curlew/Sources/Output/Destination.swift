import CurlewCore
import FoundationEssentials
import Synchronization

/// The destination of a response's body.
enum Destination: Sendable, Hashable {
  /// Standard output, in the order of the URLs.
  case standardOutput
  /// One file.
  case file(String)
  /// A directory, with the file name that the response suggests.
  case directory(String)
}

/// Gives each file of a run its own name in a directory: `report.pdf`, `report-2.pdf`.
final class NameTable: Sendable {
  private struct State {
    var taken: Set<String> = []
    /// The last number given to each suggested path, so that numbering many equal names stays fast.
    var last: [String: Int] = [:]
  }

  private let state = Mutex(State())

  func path(in directory: String, for suggested: String) -> String {
    let folder = directory.hasSuffix("/") ? directory : directory + "/"
    return state.withLock { state in
      while true {
        let number = state.last[folder + suggested, default: 0] + 1
        state.last[folder + suggested] = number
        let path = folder + Self.numbered(suggested, number)
        if state.taken.insert(path).inserted { return path }
      }
    }
  }

  private static func numbered(_ name: String, _ number: Int) -> String {
    guard number > 1 else { return name }
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "\(name)-\(number)" }
    return "\(name[..<dot])-\(number)\(name[dot...])"
  }
}
