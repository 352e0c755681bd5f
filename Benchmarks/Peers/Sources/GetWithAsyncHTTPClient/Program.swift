import AsyncHTTPClient
import FoundationEssentials
import NIOCore

/// Gets one value with async-http-client, without Foundation's larger part.
///
/// `Scripts/bench footprint` compares it with Curlew's `get-with-umbrella` and `get-with-parts`.
@main enum Program {
  struct Record: Decodable, Sendable { var name: String }

  static func main() async throws {
    let request = HTTPClientRequest(url: CommandLine.arguments[1])
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    let body = try await response.body.collect(upTo: 1 << 20)
    print(try JSONDecoder().decode(Record.self, from: Data(body.readableBytesView)).name)
  }
}
