import CurlewCore
import Foundation
import FoundationNetworking

/// Forwards Foundation's callbacks to their flights.
///
/// Foundation calls them on the session's delegate queue, one at a time, except for `needNewBodyStream`, which it calls on its
/// work queue.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let pool: SessionPool
  private let use: SessionPool.Use
  private let flights = Guarded<[Int: URLSessionFlight]>([:])

  init(_ pool: SessionPool, _ use: SessionPool.Use) {
    self.pool = pool
    self.use = use
  }

  func add(_ flight: URLSessionFlight, for task: URLSessionTask) {
    let identifier = task.taskIdentifier
    flights.withLock { $0[identifier] = flight }
  }

  private func flight(_ task: URLSessionTask) -> URLSessionFlight? {
    let identifier = task.taskIdentifier
    return flights.withLock { $0[identifier] }
  }

  // MARK: Receiving

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    // Foundation ignores the answer, but requires one.
    completionHandler(.allow)
    if let response = response as? HTTPURLResponse { flight(dataTask)?.receive(response) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if !data.isEmpty { flight(dataTask)?.receive(data) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    // Every other answer hangs or ends the process; this one ends the task with −999.
    flight(task)?.shared.withLock { $0.refusedChallenge = true }
    completionHandler(.rejectProtectionSpace, nil)
  }

  // MARK: Sending

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    flight(task)?.sent()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
  ) {
    guard let flight = flight(task), let upload = flight.upload else { return completionHandler(nil) }
    let again = flight.plan.isRepeatable ? try? upload.stream() : nil
    completionHandler(again ?? upload.refusal())
  }

  // MARK: The end

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let identifier = task.taskIdentifier
    guard let flight = flights.withLock({ $0.removeValue(forKey: identifier) }) else { return }
    flight.land(task.response as? HTTPURLResponse, error)
    pool.landed(flight)
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { pool.ended(use) }
}
