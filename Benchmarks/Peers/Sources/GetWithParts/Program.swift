import CurlewCurlTransport
import CurlewJSON
import CurlewSession

/// Gets one value with only the modules that it needs.
///
/// `Scripts/bench footprint` compares it with `GetWithUmbrella`.
@main enum Program {
  struct Record: Decodable, Sendable { var name: String }

  static func main() async throws {
    var configuration = SessionConfiguration(.made { try CurlTransport() })
    configuration.coding = .json
    let record: Record = try await HTTPSession(configuration).get(CommandLine.arguments[1])
    print(record.name)
  }
}
