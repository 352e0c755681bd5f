// A decision about a server's certificate that takes time: the connection is refused, a person is asked, and the request
// goes again to exactly the certificate that was shown.

import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewSecurity

let transport = try CurlTransport()
let loader = Loader(transport)
let request = try Request(.get, "https://printer.example/")
let exchange = Exchange()

func isTrustedByAPerson(_ certificate: Certificate, _ reason: String) async -> Bool { false }

do {
  _ = try await loader.load(request, in: exchange)
} catch let error as NetworkError {
  guard let refusal = error.details.trust, let trust = refusal.trust, let leaf = trust.certificates.first else {
    throw error
  }
  let certificate = try Certificate(der: leaf)
  guard await isTrustedByAPerson(certificate, refusal.message) else { throw error }
  let exact = try ExactCertificateTrust(certificate, host: trust.host)
  _ = try await loader.load(request, in: exchange.derived(attempt: 2) { $0.serverTrust = exact })
}

await transport.shutdown()
