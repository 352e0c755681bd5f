// A task that is suspended, resumed, and cancelled with what the next run needs to go on.

import Curlew

let session = try HTTPSession(baseURL: "https://download.swift.org/")

let task = session.download("swift-6.2-release/debian12/swift-6.2.tar.gz", to: .directory("."))
task.downloadProgress?.observe(on: .serial()) { print($0.completed, "of", $0.total ?? 0) }
task.onFinish(on: .serial()) { print((try? $0.get().path) ?? "not finished") }
task.resume()

task.suspend()
task.resume()

if let data = await task.cancelByProducingResumeData() {
  print(try await session.download(resuming: data, to: .directory(".")).value.path)
}
