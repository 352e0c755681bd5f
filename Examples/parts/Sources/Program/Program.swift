import CurlewCurlTransport
import CurlewJSON
import CurlewSerialization
import CurlewSession
import Sightings

/// Prints a JSON document.
@main enum Program {
  static func main() async throws {
    let formats = SerializerRegistry()
    formats.useJSON()
    let app = Sightings(SessionConfiguration(.made { try CurlTransport() }), formats: formats)
    print(try await app.document(CommandLine.arguments[1]))
  }
}
