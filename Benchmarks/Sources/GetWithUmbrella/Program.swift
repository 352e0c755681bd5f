import Curlew

/// One value from a server, as the first page of README has it: `Scripts/bench footprint` weighs it.
@main enum Program {
  struct Record: Decodable, Sendable { var name: String }

  static func main() async throws {
    let record: Record = try await HTTPSession().get(CommandLine.arguments[1])
    print(record.name)
  }
}
