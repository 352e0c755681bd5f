// A download that goes on where an earlier run stopped, whatever stopped it, and appears only when it is right.

import CurlewCore
import CurlewCurlTransport
import CurlewDownload
import CurlewLoading

let transport = try CurlTransport()
let request = try Request(.get, "https://download.swift.org/swift-6.2-release/debian12/swift-6.2.tar.gz")

var configuration = DownloadConfiguration(request, to: .file("swift.tar.gz"))
configuration.file.collision = .replace
// configuration.file.verification.expected = try ExpectedDigest("sha-256:…")
let download = Downloader(Loader(transport, chain: InterceptorChain(redirect: Redirect())), configuration)
download.downloadProgress.observe(on: .serial()) { print($0.completed, "of", $0.total ?? 0) }
do {
  let result = try await download.run()
  print(result.path, "has \(result.length) bytes; \(result.resumedFrom) of them were there before")
} catch let error as NetworkError {
  print(error.message, error.details.resumption.map { "\($0.completedBytes) bytes are kept" } ?? "")
}

await transport.shutdown()
