#if Postgres
// A worker process for the tests: works on the batch in the schema of the first argument until it is complete, and publishes a file
// for each item in the folder of the second one. The server's address is in CURLEW_POSTGRES.

import CurlewBatch
import CurlewCore
import CurlewPostgresBatchStore
import CurlewRequests
import FoundationEssentials
import Glibc

guard CommandLine.arguments.count == 4, let address = ProcessInfo.processInfo.environment["CURLEW_POSTGRES"],
  let width = Int(CommandLine.arguments[3])
else {
  print("usage: CURLEW_POSTGRES=… postgres-batch-worker SCHEMA FOLDER WIDTH")
  exit(2)
}
let publisher = Publisher(folder: CommandLine.arguments[2])
do {
  let store = try await PostgresBatchStore(address, schema: CommandLine.arguments[1])
  var configuration = Batch.Configuration()
  configuration.jobs[ComponentName("publish")] = BatchJob { try await publisher.publish($0) }
  configuration.width = width
  configuration.leaseDuration = .seconds(5)
  try await Batch(store, configuration).run()
  await store.close()
} catch {
  print("worker \(getpid()): \(error)")
  exit(1)
}
#endif
