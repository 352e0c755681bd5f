// What people write who know another client, and what the compiler answers. `Scripts/check-examples` compiles this file with `-verify`,
// so that each answer is the one that is written here, and that the right spellings beside them have none.

import Curlew
import Foundation

struct Bird: Codable, Sendable { var name: String }

func guesses(
  _ session: HTTPSession, _ draft: Bird, _ url: URL, _ name: String, _ dictionary: [String: String],
  _ error: NetworkError
) async throws {
  let _ = try await session.get("x", as: Bird.self)  // expected-error {{Name the type at the value}}
  let _ = try await session.get("x", Bird.self)  // expected-error {{Name the type at the value}}
  let _: Bird = try await session.get(url)  // expected-error {{Give a text}}
  let _: Bird = try await session.get("x", headers: ["Accept": "a"])  // expected-error {{[.accept: text]}}
  let _: Bird = try await session.get("x", headers: [.accept: "a"])  // expected-error {{Write headerFields:}}
  let _: Bird = try await session.get("x", query: ["a": "b"])  // expected-error {{Write parameters:}}
  let _: Bird = try await session.get("x", headerFields: ["X-A": name])  // expected-error {{[.accept: text]}}
  let _ = try await session.get("x", .string, headerFields: ["X-A": name])  // expected-error {{[.accept: text]}}
  let _: Bird = try await session.post("x", headerFields: ["X-A": name])  // expected-error {{[.accept: text]}}
  let _ = session.with { $0.headerFields["X-A"] = name }  // expected-error {{headerFields.set(name, to: value)}}
  let _: Bird = try await session.get("x", parameters: dictionary)  // expected-error {{encoding: dictionary}}
  let _ = Timeouts(total: 2)  // expected-error {{.seconds(2)}}
  let _ = Timeouts(connect: 0.5, total: 2)  // expected-error {{.seconds(2)}}
  let _: Bird = try await session.get("x", timeout: 5)  // expected-error {{RequestOptions(timeout:}}
  let _: Bird = try await session.get("x", timeout: .seconds(5))  // expected-error {{RequestOptions(timeout:}}
  let _: Bird = try await session.post("x", json: draft)  // expected-error {{without a label}}
  let _: Bird = try await session.post("x", body: draft)  // expected-error {{without a label}}
  let _: Bird = try await session.post("x", body: Data())  // expected-error {{without a label}}
  let _: Bird = try await session.post("x", body: .json(draft))  // expected-error {{without a label}}
  let _ = try await session.post("x", json: draft)  // expected-error {{without a label}}
  let _ = try await session.post("x", json: ["a": 1])  // expected-error {{without a label}}
  let _ = try await session.post("x", body: Data())  // expected-error {{without a label}}
  let _ = try await session.post("x", body: .json(draft))  // expected-error {{without a label}}
  let _ = try await session.get("x", headers: ["Accept": "a"])  // expected-error {{[.accept: text]}}
  let _ = try await session.get("x", headers: [.accept: "a"])  // expected-error {{Write headerFields:}}
  let _ = try await session.get("x", query: ["a": "b"])  // expected-error {{Write parameters:}}
  let _ = try await session.get("x", params: ["a": "b"])  // expected-error {{Write parameters:}}
  let _ = try await session.get("x", timeout: 5)  // expected-error {{RequestOptions(timeout:}}
  let _ = try await session.get("x", timeout: .seconds(5))  // expected-error {{RequestOptions(timeout:}}
  let _: Bird = try await session.post("x", draft)  // expected-error {{Say how the value is sent}}
  let _: Bird = try await session.post("x", Data())  // expected-error {{Say how the value is sent}}
  let _ = try await session.post("x", .json(draft), as: Bird.self)  // expected-error {{Name the type at the value}}
  let (_, _) = try await session.data(from: url)  // expected-error {{Write session.get(url.absoluteString, .data)}}
  let (_, _) = try await session.data(for: url)  // expected-error {{Write session.response(method, path)}}
  let _ = try await session.execute(url)  // expected-error {{Write session.response(method, path)}}
  let _ = try HTTPSession(baseURL: url)  // expected-error {{Give a text}}
  let _: Bird = try await session.get("x", params: ["a": "b"])  // expected-error {{Write parameters:}}
  let _ = RetryPolicy(maxAttempts: 3)  // expected-error {{RetryPolicy(limit: 2)}}
  session.download("x", to: "y").pause()  // expected-error {{renamed to 'suspend()'}}
  let _ = session.events("x")  // expected-error {{renamed to 'serverSentEvents(_:)'}}
  for try await _ in session.sse("x") {}  // expected-error {{renamed to 'serverSentEvents(_:)'}}
  let _ = session.download(from: url)  // expected-error {{session.download(path, to: file)}}
  let _ = try await session.download(from: "x", to: "y").value  // expected-error {{session.download(path, to: file)}}
  let _ = try await session.download("x", to: "y", progress: { print($0) }).value  // expected-error {{Iterate:}}
  let _ = try await session.upload(file: url, to: "x").value  // expected-error {{session.upload(.file(path)}}
  for try await _ in session.upload(file: "x", to: "y") {}  // expected-error {{session.upload(.file(path)}}
  let _ = session.download("x", to: "y", overwrite: true)  // expected-error {{file.collision = .replace}}
  let _ = try HTTPSession(baseURL: "https://h.test/", headers: ["A": name])  // expected-error {{headerFields.set(name}}
  let _ = try await session.get("x", .text)  // expected-error {{renamed to 'string'}}
  let _ = try await session.response(.get, "x").statusCode  // expected-error {{Write status.code}}
  let _ = try await session.response(.get, "x").headers  // expected-error {{renamed to 'headerFields'}}
  let _ = try await session.response(.get, "x").body  // expected-error {{renamed to 'value'}}
  let _ = try await session.data("x")  // expected-error {{session.get(path, .data)}}
  let _ = RequestOptions(timeout: 5)  // expected-error {{RequestOptions(timeout:}}
  let _ = try HTTPSession(baseURL: "x", timeout: .seconds(5))  // expected-error {{options.timeouts.total}}
  for try await event in session.serverSentEvents("x") {
    print(event.id)  // expected-error {{renamed to 'lastEventID'}}
    print(event.event)  // expected-error {{renamed to 'type'}}
  }
  let _ = RetryPolicy(maximumAttempts: 3)  // expected-error {{RetryPolicy(limit: 2)}}
  let _ = RetryPolicy(maxRetries: 3)  // expected-error {{RetryPolicy(limit: 2)}}
  let _ = RetryPolicy(3)  // expected-error {{RetryPolicy(limit: 2)}}
  let _ = session.with { $0.proxy = name }  // expected-error {{settings.proxy = Proxy}}
  let _ = session.with { $0.cache = Caching(MemoryCacheStore()) }  // expected-error {{chain.caching = Caching}}
  let _ = error.body  // expected-error {{error.decodedBody(as:)}}
  let _ = error.response  // expected-error {{error.details.response}}
  let _ = try session.with { try $0.authenticate(bearer: name) }  // expected-error {{headerFields.set("Authorization"}}
  let _ = session.with { $0.timeout = .seconds(5) }  // expected-error {{options.timeouts.total}}
  let _ = session.with { $0.headers = [name: name] }  // expected-error {{headerFields.set(name, to: value)}}
  let _ = error.statusCode  // expected-error {{error.status?.code}}
  let _ = try await session.get("x")  // expected-error {{Name the type of the body}}
}

func spellings(
  _ session: HTTPSession, _ draft: Bird, _ url: URL, _ name: String, _ page: Int, _ maybe: String?
) async throws {
  let _: Bird = try await session.get("x")
  let _: String = try await session.get("x", parameters: ["a": "b", "c": 1, "d": "\(name)"])
  let _: Bird = try await session.get("x", parameters: [:])
  let _: Bird = try await session.get("x", parameters: ["a": name])
  let _: Bird = try await session.get(
    "x", parameters: ["a": name, "b": page, "c": maybe, "d": nil, "e": true, "f": [page]])
  let _: Bird = try await session.get("x", parameters: ["a": ["b": 1, "c": "d"]])
  let _ = try await session.get("x", .string, parameters: ["a": name])
  let _: Bird = try await session.post("x", .form(["a": name, "b": page, "c": "d"]))
  let _: Bird = try await session.post("x", .form(["a": ["b": 1, "c": "d"]]))
  let _ = try Parameters(encoding: ["a": name, "b": page])
  let _ = try Parameters(encoding: ["a": name])
  let _: Bird = try await session.get("x/\(segment: name)/\(page)")
  let _ = Timeouts()
  let _ = Timeouts(total: nil)
  let _: Bird = try await session.get("x", parameters: name.isEmpty ? ["a": "b"] : nil)
  let _: Bird = try await session.get("x", parameters: try Parameters(encoding: ["a": name]))
  let _: Bird = try await session.get("x", headerFields: [.accept: "a"])
  let _: Bird = try await session.get(url.absoluteString)
  let _: Bird = try await session.get("x", options: RequestOptions(timeout: .seconds(2)))
  let _ = try await session.get("x", .string, parameters: ["a": "b"])
  let _: Bird = try await session.post("x", .json(draft))
  let _: Bird = try await session.post("x", .json(["a": 1]))
  let _: Bird = try await session.post("x", .json(["a": 1, "b": name, "c": maybe, "d": ["e", "f"], "g": draft]))
  let _: Bird = try await session.post("x")
  let _ = try await session.post("x", .json(draft), .string)
  let _ = try await session.response(.get, "x", as: Bird.self)
  let _ = try HTTPSession(baseURL: "https://h.test/") { $0.retry = RetryPolicy() }
}
