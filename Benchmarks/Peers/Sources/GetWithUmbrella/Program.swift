import Curlew

/// Gets one value from a server, as in the first example of README.
///
/// `Scripts/bench footprint` measures it.
@main enum Program {
  struct Record: Decodable, Sendable { var name: String }

  static func main() async throws {
    let record: Record = try await HTTPSession().get(CommandLine.arguments[1])
    print(record.name)
  }
}
