import CurlewAWSSignature
import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

/// Generated runs, in which no secret may be in an error, an event or a description: 200 here, 10,000 with `CURLEW_ROUNDS=10000`.
@Suite struct SecretTests {
  private final class Witness: EventObserver {
    private let texts = Mutex<[String]>([])
    var text: String { texts.withLock { $0.joined(separator: "\n") } }

    func observe(_ event: ExchangeEvent) { add(event) }

    func add(_ value: Any) {
      var text = "\(value)\n\(String(reflecting: value))\n"
      dump(value, to: &text)
      texts.withLock { $0.append(text) }
    }
  }

  private struct Failure: Error {}

  @Test func `no secret is in an error, an event or a description`() async throws {
    let rounds = ProcessInfo.processInfo.environment["CURLEW_ROUNDS"].flatMap { Int($0) } ?? 200
    for round in 0..<rounds {
      let witness = Witness()
      let signatures = Mutex<Set<String>>([])
      let transport = StubTransport { asked in
        let text = asked.request.headerFields[.authorization] ?? asked.request.url.query() ?? ""
        if let mark = text.firstRange(of: "Signature=") {
          _ = signatures.withLock { $0.insert(String(text[mark.upperBound...])) }
        }
        switch round % 5 {
        case 0:
          throw NetworkError(.connectionLost, stage: .sending, message: "Lost.").with { $0.request = asked.request }
        case 1: return StubAnswer(.forbidden, headerFields: [.date: "Fri, 24 May 2013 00:00:00 GMT"])
        case 2: return StubAnswer(.found, headerFields: [.location: "/\(asked.index)"])
        default: return .text("")
        }
      }
      let credentials = AWSCredentials(
        accessKeyID: round % 11 == 0 ? "AK SECRET" : "AKID", secretAccessKey: "KEY-SECRET",
        sessionToken: "TOKEN-SECRET",
        expires: round % 2 == 0 ? nil : Date(timeIntervalSince1970: 4_000_000_000))
      let signature = try AWSSignature(for: ["https://b.example"], region: "r") {
        if round % 13 == 0 { throw Failure() }
        return credentials
      }
      var settings = ExchangeSettings()
      settings.observers = [witness]
      var redirect = Redirect()
      redirect.limit = 2
      let chain = InterceptorChain(redirect: redirect, authentication: signature)
      let loader = Loader(transport, chain: chain, settings: settings)
      for value in [credentials, signature, chain, loader] as [Any] { witness.add(value) }
      do {
        var request = try Request(.put, "https://b.example/a?x=1")
        request.body = .text("BODY-SECRET")
        if round % 3 == 0, round % 11 != 0, round % 13 != 0 {
          request.url = try await signature.presignedURL(for: request)
          witness.add(request)
        }
        witness.add(try await loader.data(for: request, upTo: 100).1)
      } catch {
        witness.add(error)
      }
      let text = witness.text
      let found = (["SECRET"] + signatures.withLock { $0.map { String($0.prefix(64)) } }).first { text.contains($0) }
      guard let found, let place = text.firstRange(of: found) else { continue }
      let start = text.index(place.lowerBound, offsetBy: -100, limitedBy: text.startIndex) ?? text.startIndex
      Issue.record("Round \(round) shows \(text[start..<place.upperBound])")
      return
    }
    print("aws-peers: \(rounds) runs without a secret")
  }
}
