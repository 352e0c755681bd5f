// A hundred files after their index, four at once from the host, with one summary of how many failed.

import CurlewBatch
import CurlewCore
import CurlewCurlTransport
import CurlewLoading

let transport = try CurlTransport()
let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect()))
let batch = Batch(over: loader, store: MemoryBatchStore(BatchRules(limit: 8, perHost: 4)))

let site = "https://download.example.com"
var items = [try BatchItem.download("index", Request(.get, "\(site)/index.json"), to: "files/index.json")]
for number in 1...100 {
  let request = try Request(.get, "\(site)/\(number).bin")
  items.append(try .download("file \(number)", request, to: "files/\(number).bin", after: ["index"]))
}
try await batch.add(items)

for try await outcome in batch {
  switch outcome.result {
  case .succeeded(let product): print(outcome.name, "has \(product.bytes ?? 0) bytes")
  case .failed(let failure): print(outcome.name, "failed:", failure.message)
  case .cancelled: print(outcome.name, "was cancelled")
  case .skipped(let cause): print(outcome.name, "was skipped because of", cause)
  }
}
let summary = try await batch.summary
print("\(summary.succeeded) of \(summary.total) succeeded")

await transport.shutdown()
