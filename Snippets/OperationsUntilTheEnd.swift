// Downloads documents one after the other in an OperationQueue. When the process is asked to end, the downloads that run get
// twenty seconds; what is left of them then is kept, and the next run goes on with it.
//
//   swift run OperationsUntilTheEnd DIRECTORY URL…

import CurlewCore
import CurlewCurlTransport
import CurlewDownload
import CurlewLoading
import CurlewOperations
import Foundation
import HTTPTypes

let arguments = CommandLine.arguments.dropFirst()
guard let directory = arguments.first, arguments.count > 1 else {
  print("usage: OperationsUntilTheEnd DIRECTORY URL…")
  exit(64)
}

let loader = Loader(try CurlTransport())
let disk = DownloadDisk()
let grace = GracePeriod(.seconds(20))
let queue = OperationQueue()
queue.maxConcurrentOperationCount = 1

// The signal is taken from a queue: next to nothing may be done in a signal handler.
signal(SIGTERM, SIG_IGN)
let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
termination.setEventHandler {
  for operation in queue.operations where !operation.isExecuting { operation.cancel() }
  Task {
    await grace.expire()
    exit(0)
  }
}
termination.resume()

let downloads = try arguments.dropFirst().map { address in
  let download = DownloadOperation(try Request(.get, address), to: .directory(directory), over: loader, on: disk)
  download.setCompletionBlock(
    success: { _, file in print("stored \(file.path), \(file.length) bytes") },
    failure: { operation, error in print("failed: \(operation.request), \(error)") })
  download.continueAtProcessEnd(under: grace)
  return download
}
let operations = try URLConnectionOperation.batchOfRequestOperations(
  downloads, progress: { finished, total in print("\(finished) of \(total)") }, completion: { _ in exit(0) })
for operation in operations { queue.addOperation(operation) }
dispatchMain()
