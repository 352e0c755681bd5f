// A decision about a server's certificate that takes time: the connection is refused, a person is asked, and the request
// is sent again to exactly the certificate that was shown.

import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewSecurity

func isTrustedByAPerson(_ trust: ServerTrust, _ reason: String) async -> Bool { false }

let transport = try CurlTransport()
let loader = Loader(transport, chain: InterceptorChain(serverTrust: ServerTrustAsking()))
var settings = ExchangeSettings()
settings.hooks.challenge = { challenge in
  guard let refusal = challenge.serverTrust, let trust = refusal.trust,
    await isTrustedByAPerson(trust, refusal.message)
  else { return .defaultHandling }
  return .use(.serverTrust(trust))
}
let request = try Request(.get, "https://printer.example/")
_ = try await loader.load(request, in: Exchange(settings))

await transport.shutdown()
