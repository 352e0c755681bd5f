// A server that is not there is reported by libpq.
import CurlewBatch
import CurlewPostgresBatchStore

do {
  _ = try await PostgresBatchStore("postgres://birds@127.0.0.1:1/birds", patience: .zero)
  print("FAILED: there is a server")
} catch let error as BatchError {
  print("ok:", error.kind)
}
