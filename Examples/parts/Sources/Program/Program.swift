import CurlewCurlTransport
import CurlewJSON
import CurlewSerialization
import CurlewSession
import Sightings

/// Prints the names in a list.
@main enum Program {
  static func main() async throws {
    var configuration = SessionConfiguration(.made { try CurlTransport() })
    configuration.formats.add(.json)
    for name in try await Sightings(configuration).names(CommandLine.arguments[1]) { print(name) }
  }
}
