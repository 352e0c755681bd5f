// A WebSocket that no server accepts, since there is none.
import Curlew
import CurlewWebSocket

let session = try HTTPSession(baseURL: "http://127.0.0.1:1/")
do {
  _ = try await session.webSocket("chat")
} catch let error as NetworkError {
  print(error.kind == .connectionFailed ? "ok:" : "FAILED:", error.kind)
}
