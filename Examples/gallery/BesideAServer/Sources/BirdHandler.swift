import Curlew
import SmallServer

struct Bird: Codable, Sendable {
  var name: String
}

/// Answers the server's requests with what an API says. `Request`, `Response`, `ResponseBody` and `Cookie` are those of the server.
struct BirdHandler: Sendable {
  let api: HTTPSession

  func respond(to request: Request) async -> Response {
    do {
      let bird: Bird = try await api.get(String(request.path.dropFirst()))
      var response = Response(status: 200, body: ResponseBody(greeting(of: bird, to: request.cookies)))
      response.set(Cookie(name: "last", value: bird.name))
      return response
    } catch let error as NetworkError where error.status == .notFound {
      return Response(status: 404, body: ResponseBody("There is no \(request.path)."))
    } catch {
      return Response(status: 502, body: ResponseBody("The API does not answer."))
    }
  }

  private func greeting(of bird: Bird, to cookies: [Cookie]) -> String {
    guard let last = cookies.first(where: { $0.name == "last" }) else { return bird.name }
    return "\(bird.name), after \(last.value)"
  }

  /// Returns whether a server answers. The request is one of Curlew's, which the module's name says.
  func ping(_ url: String) async throws -> Bool {
    try await api.loader.load(Curlew.Request(.head, url)).head.status.kind == .successful
  }
}
