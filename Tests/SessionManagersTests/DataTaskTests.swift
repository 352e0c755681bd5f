import CurlewCore
import CurlewDownload
import CurlewJSON
import CurlewLoading
import CurlewSerialization
import CurlewSession
import CurlewTestSupport
import Dispatch
import Foundation
import HTTPTypes
import Testing

@testable import CurlewSessionManagers

@Suite(.timeLimit(.minutes(10))) struct DataTaskTests {
  @Test(arguments: Carrier.allCases)
  func `a data task has a response and a value, or an error`(_ carrier: Carrier) async throws {
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/bird" ? .json(#"{"name":"Curlew"}"#) : .status(404, "no such bird")
    }
    let manager = Fixture.manager(carrier.configuration)
    let found = await manager.ended(Request(.get, origin.url("/bird")))
    #expect(found.response?.status == .ok && found.error == nil)
    #expect((found.value as? JSONValue)?["name"] == .string("Curlew"))
    let missing = await manager.ended(Request(.get, origin.url("/other")))
    #expect(missing.value == nil && missing.kind == .unacceptableStatus)
    #expect(missing.response?.status == .notFound)
    await origin.stop()
  }

  @Test func `nothing is sent before resume, and identifiers are unique over managers`() async throws {
    let stub = StubTransport(Fixture.json())
    let managers = [try Fixture.manager(stub), try Fixture.manager(stub)]
    let tasks = managers.map { $0.dataTask(with: Fixture.request, completion: nil) }
    #expect(stub.requestCount == 0 && tasks.allSatisfy { $0.state == .suspended })
    #expect(Set(tasks.map(\.identifier)).count == 2)
    for (manager, task) in zip(managers, tasks) {
      #expect(manager.tasks.map(\.identifier) == [task.identifier])
      task.cancel()
    }
    await Fixture.wait(while: managers.contains { !$0.tasks.isEmpty })
    #expect(stub.requestCount == 0)
  }

  @Test func `the serializer of a task is the one at its creation, or its own`() async throws {
    let manager = try Fixture.manager(StubTransport(Fixture.json()))
    let ends = Collected<Ended>()
    let first = manager.dataTask(with: Fixture.request) { ends.append(Ended(response: $0, value: $1, error: $2)) }
    manager.responseSerializer = .data
    first.resume()
    await Fixture.wait(while: ends.all.isEmpty)
    #expect(ends.all.first?.value is JSONValue)
    #expect(await manager.ended(Fixture.request).value is Data)
    var settings = TaskSettings()
    settings.responseSerializer = .string
    #expect(await manager.ended(Fixture.request, settings: settings).value as? String == #"{"name":"Curlew"}"#)
    let names = Collected<String>()
    struct Bird: Codable, Sendable { var name: String }
    let typed = manager.dataTask(with: Fixture.request, decoding: .json(Bird.self)) { _, result in
      names.append((try? result.get().name) ?? "none")
    }
    #expect(typed.resume())
    #expect(try await typed.value.name == "Curlew")
    await Fixture.wait(while: names.all.isEmpty)
    #expect(names.all == ["Curlew"])
  }

  @Test func `the configuration's fields are added where the request has none`() async throws {
    let seen = Collected<HTTPFields>()
    let stub = StubTransport { asked in
      seen.append(asked.request.headerFields)
      return Fixture.json()
    }
    var configuration = SessionConfiguration(.shared(stub))
    configuration.headerFields = [.userAgent: "birds/1", .accept: "text/plain"]
    let manager = Fixture.manager(configuration)
    _ = await manager.ended(Request(.get, Fixture.url, headerFields: [.accept: "application/json"]))
    #expect(seen.all.first?[.userAgent] == "birds/1" && seen.all.first?[.accept] == "application/json")
  }

  @Test func `handlers come in order, on their queues, before the group is left`() async throws {
    let manager = try Fixture.manager(StubTransport(.bytes(Data(count: 50_000))))
    let (queue, group) = (DispatchQueue(label: "own"), DispatchGroup())
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    manager.completionQueue = queue
    manager.completionGroup = group
    manager.responseSerializer = .data
    let order = Collected<String>()
    manager.hooks.taskDidFinishCollectingMetrics = { _, _, metrics in order.append("metrics \(metrics.count)") }
    manager.hooks.taskDidComplete = { _, _, error in order.append(error == nil ? "complete" : "failed") }
    manager.onEvent(on: CallbackExecutor { $0() }) { event in
      switch event {
      case .resumed: order.append("resumed")
      case .completed(_, let report): order.append("event \(report.metrics.count)")
      default: order.append("other")
      }
    }
    let task = manager.dataTask(with: Fixture.request) { _, value, _ in
      order.append("handler \((value as? Data)?.count ?? 0) \(DispatchQueue.getSpecific(key: key) == true)")
    }
    task.resume()
    await Fixture.wait(while: order.all.count < 5)
    let left = Collected<Bool>()
    group.notify(queue: queue) { left.append(true) }
    await Fixture.wait(while: left.all.isEmpty)
    #expect(order.all == ["resumed", "metrics 1", "complete", "handler 50000 true", "event 1"])
  }

  @Test(arguments: ["serial", "concurrent", "main"])
  func `each of many tasks ends once, whatever the completion queue`(_ kind: String) async throws {
    let manager = try Fixture.manager(StubTransport(Fixture.json()))
    manager.completionQueue =
      switch kind {
      case "serial": DispatchQueue(label: "serial")
      case "concurrent": DispatchQueue(label: "concurrent", attributes: .concurrent)
      default: nil
      }
    let group = DispatchGroup()
    manager.completionGroup = group
    let order = Collected<(Int, String)>()
    manager.hooks.taskDidComplete = { _, task, _ in order.append((task.identifier, "complete")) }
    let tasks = (0..<100).map { _ in
      let box = Collected<Int>()
      let task = manager.dataTask(with: Fixture.request) { _, _, _ in order.append((box.all.first ?? 0, "handler")) }
      box.append(task.identifier)
      return task
    }
    for task in tasks { task.resume() }
    await Fixture.wait(while: order.all.count < 200)
    for task in tasks {
      #expect(order.all.filter { $0.0 == task.identifier }.map(\.1) == ["complete", "handler"])
    }
    await Fixture.wait(while: !manager.tasks.isEmpty)
  }

  @Test func `a completion handler comes after the task's hooks and progress, and waits for no others`() async throws {
    let manager = try Fixture.manager(StubTransport(Fixture.json()))
    let order = Collected<String>()
    manager.callbackQueue.suspend()
    let plain = manager.dataTask(with: Fixture.request) { _, _, _ in order.append("plain") }
    let watched = manager.dataTask(
      with: Fixture.request, downloadProgress: { if $0.isFinal { order.append("progress") } },
      completion: { _, _, _ in order.append("watched") })
    manager.hooks.taskDidComplete = { _, _, _ in order.append("hook") }
    let hooked = manager.dataTask(with: Fixture.request) { _, _, _ in order.append("hooked") }
    for task in [watched, hooked, plain] { task.resume() }
    for task in [watched, hooked, plain] { await Fixture.wait(while: task.state != .completed) }
    await Fixture.wait(while: order.all.isEmpty)
    #expect(order.all == ["plain"])
    manager.callbackQueue.resume()
    await Fixture.wait(while: order.all.count < 5)
    #expect(order.all.filter { ["progress", "watched"].contains($0) } == ["progress", "watched"])
    #expect(order.all.filter { ["hook", "hooked"].contains($0) } == ["hook", "hooked"])
  }

  @Test func `the lists know their kinds, and may be read from hooks`() async throws {
    let gate = ManualGate()
    let manager = try Fixture.manager(
      StubTransport { _ in
        try await gate.wait()
        return Fixture.json()
      })
    let counts = Collected<[Int]>()
    manager.hooks.dataTaskDidReceiveResponse = { manager, _, _ in
      counts.append([
        manager.tasks.count, manager.dataTasks.count, manager.uploadTasks.count, manager.downloadTasks.count,
      ])
      return .allow
    }
    let data = manager.dataTask(with: Fixture.request, completion: nil)
    let upload = manager.uploadTask(with: Request(.post, Fixture.url), from: Data("x".utf8), completion: nil)
    let download = manager.downloadTask(with: Fixture.request, to: .file("/nowhere/at/all"), completion: nil)
    #expect(manager.tasks.map(\.identifier) == [data, upload, download].map(\.identifier))
    data.resume()
    gate.open()
    await Fixture.wait(while: counts.all.isEmpty)
    #expect(counts.all == [[3, 1, 1, 1]])
    for task in [upload, download] { task.cancel() }
    await Fixture.wait(while: !manager.tasks.isEmpty)
  }

  @Test func `a task has typed values of the app's own`() async throws {
    enum Page: UserInfoKey { typealias Value = Int }
    let seen = Collected<Int?>()
    let manager = try Fixture.manager(
      StubTransport { asked in
        seen.append(asked.exchange.settings.userInfo[Page.self])
        return Fixture.json()
      })
    let ended = await manager.ended { completion in
      let task = manager.dataTask(with: Fixture.request, completion: completion)
      task[Page.self] = 7
      #expect(task[Page.self] == 7)
      return task
    }
    #expect(ended.error == nil && seen.all == [7])
  }

  @Test func `a cancelled task ends once, with a CancellationError`() async throws {
    let gate = ManualGate()
    let manager = try Fixture.manager(
      StubTransport { _ in
        try await gate.wait()
        return Fixture.json()
      })
    let ended = await manager.ended { completion in
      let task = manager.dataTask(with: Fixture.request, completion: completion)
      task.resume()
      task.cancel()
      return task
    }
    #expect(ended.error is CancellationError && ended.value == nil)
  }

  @Test func `progress handlers get one final snapshot in each direction`() async throws {
    let manager = try Fixture.manager(StubTransport(.bytes(Data(count: 200_000))))
    manager.responseSerializer = .data
    let log = Collected<String>()
    manager.hooks.dataTaskDidReceiveResponse = { _, _, _ in
      log.append("response")
      return .allow
    }
    let (up, down) = (Collected<TransferProgress>(), Collected<TransferProgress>())
    let ended = await manager.ended { completion in
      manager.dataTask(
        with: Request(.post, Fixture.url, body: .bytes(Data(count: 100_000))),
        uploadProgress: { progress in
          up.append(progress)
          log.append("\(progress.completed) sent")
        },
        downloadProgress: { down.append($0) }, completion: completion)
    }
    #expect(ended.error == nil)
    await Fixture.drain(manager.callbackQueue)
    #expect(log.all == ["100000 sent", "response"])
    #expect(up.all.filter(\.isFinal).map(\.completed) == [100_000])
    #expect(down.all.filter(\.isFinal).map(\.completed) == [200_000])
    #expect(up.all.last?.isFinal == true && down.all.last?.isFinal == true)
  }
}
