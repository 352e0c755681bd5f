import CurlewCurlTransport
import CurlewJSON
import CurlewSession

/// The same value with the modules that it needs and no others: `Scripts/bench footprint` weighs it beside the umbrella.
@main enum Program {
  struct Record: Decodable, Sendable { var name: String }

  static func main() async throws {
    var configuration = SessionConfiguration(.made { try CurlTransport() })
    configuration.coding = .json
    let record: Record = try await HTTPSession(configuration).get(CommandLine.arguments[1])
    print(record.name)
  }
}
