import Curlew

/// A repository as GitHub's API describes it, without the members that are not needed.
struct Repository: Decodable, Sendable {
  var name: String
  var stars: Int

  enum CodingKeys: String, CodingKey {
    case name = "full_name"
    case stars = "stargazers_count"
  }
}

/// Returns one sentence about a repository, or about what went wrong.
func sentence(about repository: String, from api: HTTPSession) async -> String {
  do {
    let found: Repository = try await api.get("repos/\(repository)")
    return "\(found.name) has \(found.stars) stars."
  } catch let error as NetworkError where error.details.response?.status == .notFound {
    return "There is no repository \(repository)."
  } catch {
    // The message says what failed and how far the request had come.
    return "\(error)"
  }
}

@main struct FirstRequest {
  static func main() async throws {
    let api = try HTTPSession(baseURL: "https://api.github.com/")
    for repository in CommandLine.arguments.dropFirst() { print(await sentence(about: repository, from: api)) }
  }
}
