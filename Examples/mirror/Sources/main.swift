// Mirrors a directory listing of nginx (autoindex) with the digests of its file SHA256SUMS:
//
//   mirror URL DIRECTORY [SCHEMA-OR-FILE]
//
// The state is in the file `.mirror` in the directory, or in the one that is given. With CURLEW_POSTGRES in the environment, and
// built with --traits PostgreSQL, it is in that schema of the database, and any number of processes mirror together.

import CurlewBatch
import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewSQLiteBatchStore
import Foundation
import Glibc
import Synchronization

#if PostgreSQL
import CurlewPostgresBatchStore
#endif

/// Mirrors as the arguments say, and returns whether every file was fetched and checked.
func mirror(_ arguments: [String]) async throws -> Bool {
  guard (3...4).contains(arguments.count), let address = URL(keepingEscapes: arguments[1]) else {
    throw Failure(description: "usage: mirror URL DIRECTORY [SCHEMA-OR-FILE]", status: 2)
  }
  let directory = arguments[2]
  try LocalFileSystem().createDirectory(directory)

  let store: any BatchStore
  let server = ProcessInfo.processInfo.environment["CURLEW_POSTGRES"]
  #if PostgreSQL
  if let server {
    store = try await PostgresBatchStore(server, schema: arguments.dropFirst(3).first ?? "mirror")
  } else {
    store = try await SQLiteBatchStore(arguments.dropFirst(3).first ?? directory + "/.mirror")
  }
  #else
  if server != nil { print("built without PostgreSQL: the state is in a file") }
  store = try await SQLiteBatchStore(arguments.dropFirst(3).first ?? directory + "/.mirror")
  #endif

  let transport = try CurlTransport()
  let loader = Loader(transport)
  let mirror = Mirror(of: address, in: directory, store: store, over: loader)
  let own = Mutex(0)

  let batch = Batch(store, mirror.configuration)
  batch.observe(on: .serial()) { event in
    if case .began = event { own.withLock { $0 += 1 } }
  }
  try await batch.add(mirror.firstItems)
  let summary = try await batch.run()
  for try await outcome in batch {
    if case .failed(let failure) = outcome.result { print("failed \(outcome.name): \(failure.message)") }
  }
  print("\(summary.succeeded) of \(summary.total) succeeded, \(own.withLock { $0 }) begun here")
  await transport.shutdown()
  return summary.succeeded == summary.total
}

/// An error with the status that the program ends with.
struct Failure: Error, CustomStringConvertible {
  let description: String
  let status: Int32
}

do {
  exit(try await mirror(CommandLine.arguments) ? 0 : 1)
} catch {
  FileHandle.standardError.write(Data("mirror: \(error)\n".utf8))
  exit((error as? Failure)?.status ?? 1)
}
