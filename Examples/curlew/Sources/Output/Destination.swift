import CurlewCore
import FoundationEssentials
import Glibc

/// Where the body of a response goes.
enum Destination: Sendable, Hashable {
  /// Standard output, in the order of the URLs.
  case standardOutput
  /// One file.
  case file(String)
  /// A directory; the name is the response's.
  case directory(String)
}

/// Gives each file of a run a name of its own in a directory: `report.pdf`, `report-2.pdf`.
final class NameTable: Sendable {
  private let taken = Guarded<Set<String>>([])

  func path(in directory: String, for suggested: String) -> String {
    let folder = directory.hasSuffix("/") ? directory : directory + "/"
    return taken.withLock { taken in
      var number = 1
      while true {
        let path = folder + Self.numbered(suggested, number)
        if taken.insert(path).inserted { return path }
        number += 1
      }
    }
  }

  private static func numbered(_ name: String, _ number: Int) -> String {
    guard number > 1 else { return name }
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "\(name)-\(number)" }
    return "\(name[..<dot])-\(number)\(name[dot...])"
  }
}
