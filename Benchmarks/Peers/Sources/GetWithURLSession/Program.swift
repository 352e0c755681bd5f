import Foundation
import FoundationNetworking

/// Gets one value with Foundation's URLSession.
///
/// `Scripts/bench footprint` compares it with Curlew's `get-with-umbrella` and `get-with-parts`.
@main enum Program {
  struct Record: Decodable, Sendable { var name: String }

  static func main() async throws {
    guard let url = URL(string: CommandLine.arguments[1]) else { return }
    let (data, _) = try await URLSession.shared.data(from: url)
    print(try JSONDecoder().decode(Record.self, from: data).name)
  }
}
