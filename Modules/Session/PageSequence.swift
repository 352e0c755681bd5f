public import CurlewCore
import CurlewLoading
import CurlewRequests
public import CurlewSerialization
import FoundationEssentials
public import HTTPTypes

/// The pages of a list, each requested when it is asked for.
///
/// `HTTPSession.pages` makes it. Each iterator begins at the first page, and ends after an error.
public struct PageSequence<Serializer: ResponseSerializer>: AsyncSequence, Sendable {
  /// A page: its value, its head and its measurements.
  public typealias Element = DecodedResponse<Serializer.Output>
  /// Returns the reference of the page after one, relative to its URL; nil after the last.
  public typealias Rule = @Sendable (Element) throws -> String?

  let session: HTTPSession
  /// The call of the first page, and what reads each page; the error of a session without a format for values.
  let plan: Result<(Call, Serializer), NetworkError>
  let limit: Int
  let rule: Rule

  /// Starts at the first page.
  public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

  /// Iterates over the pages.
  public struct Iterator: AsyncIteratorProtocol {
    private let pages: PageSequence
    /// The URL of the first page, and those of all pages so far.
    private var first: URL?
    private var seen: Set<URL> = []
    private var place = Place.first

    private enum Place {
      case first
      case after(Element)
      case end
    }

    init(pages: PageSequence) { self.pages = pages }

    /// Requests the next page; nil after the last one and after an error.
    ///
    /// - Throws: The errors of a call; `unsupported` if the session has no format for values; `tooManyRedirects` if there are more pages
    ///   than the limit, or if they lead in a circle; `invalidRedirect` if the next page has no valid URL; the errors of the app's rule.
    public mutating func next() async throws -> Element? {
      do {
        return try await step()
      } catch {
        place = .end
        throw pages.session.core.reported(error)
      }
    }

    private mutating func step() async throws -> Element? {
      let core = pages.session.core
      var call: Call
      let serializer: Serializer
      (call, serializer) = try pages.plan.get()
      var settings = try core.loader().settings
      var request: Request
      switch place {
      case .end: return nil
      case .first:
        request = try core.request(call)
        first = request.url
      case .after(let page):
        guard let url = try following(page) else {
          place = .end
          return nil
        }
        // The server has put the parameters into the URL of the page.
        (call.path, call.parameters) = (url.absoluteString, nil)
        request = try core.request(call)
        first = first.map { page.head.url(asSent: $0) }
        if let first {
          let redirect = core.configuration.chain.redirect as? Redirect ?? Redirect()
          try redirect.confine(&request, from: first, &settings)
        }
      }
      seen.insert(request.url)
      let page = try await pages.session.response(of: request, serializer, settings)
      place = .after(page)
      return page
    }

    /// Returns the URL of the page after one.
    private func following(_ page: Element) throws -> URL? {
      guard let reference = try pages.rule(page) else { return nil }
      let url: URL
      do throws(URLReferenceError) {
        url = try URLReference(reference).resolved(against: URLReference(page.head.url.absoluteString))
      } catch {
        throw Self.error(.invalidRedirect, "The reference of the next page \(error.reason).", page)
      }
      guard !seen.contains(url) else { throw Self.error(.tooManyRedirects, "The pages lead in a circle.", page) }
      guard seen.count < pages.limit else {
        throw Self.error(
          .tooManyRedirects, "There are more than \(pages.limit) pages.", page, advice: "Raise the limit.")
      }
      return url
    }

    private static func error(
      _ kind: NetworkError.Kind, _ message: String, _ page: Element, advice: String? = nil
    ) -> NetworkError {
      NetworkError(kind, stage: .decoding, message: message, advice: advice).with { $0.response = page.head }
    }
  }
}

/// Lists in pages.
extension HTTPSession {
  /// Returns the pages of a list, decoded in the session's format.
  ///
  /// A page is requested when the loop asks for it. The next one is where the response's `Link` field says so, with the relation
  /// `next` (RFC 8288), or where `next` says so, for example by a value of the page. The parameters are those of the first page.
  ///
  /// ```swift
  /// for try await page in session.pages("birds", as: [Bird].self, parameters: ["per_page": 100]) { print(page.value.count) }
  /// ```
  ///
  /// The server chooses where the next page is. To another origin than that of the first page go neither credentials nor unknown
  /// fields nor a client certificate, as for a redirect (`Redirect.harmlessFields`).
  ///
  /// - Parameters:
  ///   - limit: The most pages, 1 or more; a server that has more is an error, so that a list never ends early unnoticed.
  ///   - next: Returns the reference of the page after one, relative to its URL; nil after the last.
  public func pages<Value: Decodable & Sendable>(
    _ path: String, as type: Value.Type, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), limit: Int = 1000,
    next: @escaping PageSequence<CodingResponseSerializer<Value>>.Rule = { WebLink.target("next", of: $0.head) }
  ) -> PageSequence<CodingResponseSerializer<Value>> {
    let call = Call(.get, path, parameters, .none, headerFields, options)
    return PageSequence(
      session: self, plan: Result { () throws(NetworkError) in try decoding(type, call) }, limit: limit, rule: next)
  }

  /// Returns the pages of a list, each as the value of a serializer.
  ///
  /// ```swift
  /// for try await page in session.pages("birds.csv", .string) { print(page.value) }
  /// ```
  public func pages<Serializer: ResponseSerializer>(
    _ path: String, _ serializer: Serializer, parameters: Parameters? = nil, headerFields: HTTPFields = [:],
    options: RequestOptions = RequestOptions(), limit: Int = 1000,
    next: @escaping PageSequence<Serializer>.Rule = { WebLink.target("next", of: $0.head) }
  ) -> PageSequence<Serializer> {
    PageSequence(
      session: self, plan: .success((Call(.get, path, parameters, .none, headerFields, options), serializer)),
      limit: limit, rule: next)
  }
}
