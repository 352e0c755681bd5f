// A request that waits for a network, and for one that costs nothing, instead of failing.

import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewReachability

let monitor = ReachabilityMonitor()
monitor.start()
monitor.observe(on: .serial()) { path in
  print(path.status.localizedStatus, path.interfaces.map(\.name))
}

let transport = try CurlTransport()
var chain = InterceptorChain()
chain.perHop = [ConnectivityWait(monitor, limit: .seconds(60)), NetworkGate(monitor, .hold(limit: .seconds(60)))]
let loader = Loader(transport, chain: chain)

var request = try Request(.get, "https://www.swift.org/")
request.options.allowedNetworks = .unmetered
let page = try await loader.load(request).body.collect(upTo: 1 << 20)
print(page.count, "bytes")

await transport.shutdown()
monitor.stop()
