#if Postgres
extension StoreSchema {
  /// The clock, the lock and what happens as time passes.
  ///
  /// `pass_time` begins each change: it takes the lock that orders changes, ends the leases and waits that are due, and returns the
  /// time. If the server's clock was set back since the last change, leases and waits move with it, so that no dead worker keeps
  /// an item for longer. `has_passed` says whether there is anything of this to do. `lose` ends a lease that has expired, and `give_back` one without a result. `settle` makes earlier commits
  /// of the session durable (`CallQueue`).
  static let passing = #"""
    CREATE FUNCTION store_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT clock_timestamp()';

    CREATE FUNCTION settle(p_level text) RETURNS void LANGUAGE plpgsql AS $body$
    BEGIN
      PERFORM set_config('synchronous_commit', p_level, true);
      PERFORM pg_logical_emit_message(true, 'curlew', '');
    END $body$;

    CREATE FUNCTION pass_time() RETURNS timestamptz LANGUAGE plpgsql AS $body$
    DECLARE
      v_now timestamptz;
      v_last timestamptz;
      v_item bigint;
    BEGIN
      SELECT clock INTO v_last FROM batch WHERE id = 1 FOR UPDATE;
      v_now := store_clock();
      IF v_last - v_now > interval '1 second' THEN
        UPDATE item SET due = due - (v_last - v_now) WHERE state IN (2, 3);
        UPDATE item SET since = v_now WHERE state = 1 AND since > v_now;
        UPDATE batch SET clock = v_now;
      END IF;
      IF EXISTS (SELECT FROM item WHERE state IN (2, 3) AND due <= v_now) THEN
        UPDATE item SET state = 1, since = due WHERE state = 2 AND due <= v_now;
        FOR v_item IN SELECT id FROM item WHERE state = 3 AND due <= v_now ORDER BY due, id LOOP
          PERFORM lose(v_item, v_now);
        END LOOP;
      END IF;
      RETURN v_now;
    END $body$;

    CREATE FUNCTION lose(p_item bigint, p_now timestamptz) RETURNS void LANGUAGE plpgsql AS $body$
    DECLARE
      v_item item;
    BEGIN
      UPDATE item SET losses = losses + 1, since = due WHERE id = p_item RETURNING * INTO v_item;
      IF v_item.is_cancelling OR (SELECT coalesce(v_item.losses < loss_limit, true) FROM batch) THEN
        PERFORM give_back(p_item, p_now);
      ELSE
        PERFORM conclude(p_item, 5, p_kind => convert_to('worker-lost', 'UTF8'), p_message =>
          convert_to('Its workers died or hung: ' || v_item.losses || ' leases in a row have expired.', 'UTF8'));
        PERFORM stop_after(v_item.name);
      END IF;
    END $body$;

    CREATE FUNCTION give_back(p_item bigint, p_now timestamptz) RETURNS void LANGUAGE plpgsql AS $body$
    DECLARE
      v_cause bytea;
    BEGIN
      IF (SELECT is_cancelling FROM item WHERE id = p_item) THEN
        PERFORM conclude(p_item, 6);
        RETURN;
      END IF;
      -- A dependency may have been reopened while the item was running.
      SELECT CASE WHEN d.state = 7 THEN o.message ELSE convert_to(d.name, 'UTF8') END INTO v_cause
        FROM need JOIN item d ON d.id = need.dependency LEFT JOIN outcome o ON o.position = d.position
        WHERE need.item = p_item AND d.state IN (5, 6, 7) ORDER BY d.position LIMIT 1;
      UPDATE item SET waits = n.unmet, state = CASE WHEN n.unmet > 0 THEN 0 WHEN is_paused THEN 8 ELSE 1 END
        FROM (SELECT unmet_needs(p_item) AS unmet) n WHERE id = p_item;
      IF v_cause IS NOT NULL THEN PERFORM conclude_skipped(p_item, v_cause); END IF;
    END $body$;

    CREATE FUNCTION unmet_needs(p_item bigint) RETURNS bigint LANGUAGE sql STABLE AS $body$
      SELECT count(*) FROM need JOIN item d ON d.id = need.dependency WHERE need.item = p_item AND d.state <> 4;
    $body$;

    CREATE FUNCTION has_passed() RETURNS boolean LANGUAGE sql VOLATILE AS $body$
      SELECT EXISTS (SELECT FROM item WHERE state IN (2, 3) AND due <= store_clock())
        OR EXISTS (SELECT FROM batch WHERE clock - store_clock() > interval '1 second');
    $body$;

    CREATE FUNCTION overview() RETURNS SETOF batch LANGUAGE plpgsql AS $body$
    BEGIN
      IF current_setting('transaction_read_only') = 'off' AND has_passed() THEN
        PERFORM pass_time();
      END IF;
      RETURN QUERY SELECT * FROM batch;
    END $body$;

    """#

  /// The results of items.
  ///
  /// `finish` stores the results of any number of items: those that succeeded together, the others one by one, since each of these can
  /// end more items. `conclude` ends one item without success; `fall` skips the dependents of an item that did not succeed, and theirs.
  /// `end_all` ends every item that has no result and is not running, and `stop_after` stops the batch after a failure
  /// if the rules say so.
  static let ending = #"""
    CREATE FUNCTION fall(p_item bigint, p_cause text) RETURNS void LANGUAGE sql AS $body$
      WITH RECURSIVE fallen(id) AS (
          SELECT n.item FROM need n JOIN item i ON i.id = n.item WHERE n.dependency = p_item AND i.state = 0
          UNION
          SELECT n.item FROM fallen f JOIN need n ON n.dependency = f.id JOIN item i ON i.id = n.item WHERE i.state = 0),
        numbered AS (
          SELECT id, (SELECT position FROM batch) + row_number() OVER (ORDER BY id) AS position FROM fallen),
        ended AS (
          UPDATE item SET state = 7, is_paused = false, is_cancelling = false, position = numbered.position
            FROM numbered WHERE item.id = numbered.id RETURNING item.id, item.position)
        INSERT INTO outcome(position, item, state, message)
          SELECT position, id, 7, convert_to(p_cause, 'UTF8') FROM ended;
    $body$;

    CREATE FUNCTION conclude(
      p_item bigint, p_state integer, p_kind bytea DEFAULT NULL, p_message bytea DEFAULT NULL)
      RETURNS void LANGUAGE plpgsql AS $body$
    DECLARE
      v_position bigint;
      v_name text;
    BEGIN
      SELECT position + 1 INTO v_position FROM batch;
      UPDATE item SET state = p_state, is_paused = false, is_cancelling = false, position = v_position
        WHERE id = p_item RETURNING name INTO v_name;
      INSERT INTO outcome VALUES (v_position, p_item, p_state, NULL, NULL, p_kind, p_message);
      PERFORM fall(p_item, v_name);
    END $body$;

    CREATE FUNCTION bounded(p_bytes bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
      'SELECT CASE WHEN p_bytes IS NOT NULL THEN least(greatest(p_bytes, 0), 1125899906842624) END';

    CREATE FUNCTION end_all(p_state integer, p_cause text) RETURNS boolean LANGUAGE plpgsql AS $body$
    BEGIN
      WITH numbered AS (
          SELECT id, (SELECT position FROM batch) + row_number() OVER (ORDER BY id) AS position
            FROM item WHERE state IN (0, 1, 2, 8)),
        ended AS (
          UPDATE item SET state = p_state, is_paused = false, is_cancelling = false, position = numbered.position
            FROM numbered WHERE item.id = numbered.id RETURNING item.id, item.position)
        INSERT INTO outcome(position, item, state, message)
          SELECT position, id, p_state, convert_to(p_cause, 'UTF8') FROM ended;
      RETURN FOUND;
    END $body$;

    CREATE FUNCTION cancel_running() RETURNS boolean LANGUAGE plpgsql AS $body$
    BEGIN
      UPDATE item SET is_cancelling = true WHERE state = 3 AND NOT is_cancelling;
      RETURN FOUND;
    END $body$;

    CREATE FUNCTION finish(
      p_names text[], p_tokens bigint[], p_states bigint[], p_bytes bigint[], p_outputs bytea[], p_kinds bytea[],
      p_messages bytea[], p_repeated bigint[]) RETURNS TABLE(answer boolean) LANGUAGE plpgsql AS $body$
    DECLARE
      v_now timestamptz := pass_time();
      v_answers boolean[];
      v_ended bigint[];
      v_end record;
    BEGIN
      -- A result may be there already: that of the first attempt, whose answer was lost with its connection.
      v_answers := ARRAY(
        SELECT coalesce(i.state = 3 OR r.repeated = 1 AND i.state = r.state, false)
          FROM unnest(p_names, p_tokens, p_states, p_repeated) WITH ORDINALITY AS r(name, token, state, repeated, place)
          LEFT JOIN item i ON i.name = r.name AND i.token = r.token ORDER BY r.place);
      WITH ended AS (
          SELECT i.id, r.bytes, r.output, (SELECT position FROM batch) + row_number() OVER (ORDER BY r.place) AS position
            FROM unnest(p_names, p_tokens, p_states, p_bytes, p_outputs) WITH ORDINALITY
              AS r(name, token, state, bytes, output, place)
            JOIN item i ON i.name = r.name AND i.token = r.token AND i.state = 3 WHERE r.state = 4),
        stored AS (
          INSERT INTO outcome(position, item, state, bytes, output) SELECT position, id, 4, bytes, output FROM ended),
        updated AS (
          UPDATE item SET state = 4, is_paused = false, is_cancelling = false, position = ended.position,
            size = CASE WHEN ended.bytes IS NOT NULL THEN bounded(ended.bytes) ELSE size END
            FROM ended WHERE item.id = ended.id RETURNING item.id)
        SELECT array_agg(id) INTO v_ended FROM updated;
      IF v_ended IS NOT NULL THEN
        UPDATE item SET waits = greatest(0, waits - met.count),
          state = CASE WHEN waits > met.count THEN 0 WHEN is_paused THEN 8 ELSE 1 END,
          since = CASE WHEN waits > met.count THEN since ELSE v_now END
          FROM (SELECT n.item, count(*) AS count FROM need n WHERE n.dependency = ANY (v_ended) GROUP BY n.item) met
          WHERE item.id = met.item AND item.state = 0;
      END IF;
      FOR v_end IN
        SELECT r.* FROM unnest(p_names, p_tokens, p_states, p_kinds, p_messages, v_answers) WITH ORDINALITY
          AS r(name, token, state, kind, message, is_valid, place) WHERE r.state <> 4 AND r.is_valid ORDER BY r.place
      LOOP
        PERFORM conclude(i.id, v_end.state::integer, v_end.kind, v_end.message)
          FROM item i WHERE i.name = v_end.name AND i.token = v_end.token AND i.state = 3;
        IF FOUND AND v_end.state = 5 THEN PERFORM stop_after(v_end.name); END IF;
      END LOOP;
      RETURN QUERY SELECT unnest(v_answers);
    END $body$;

    CREATE FUNCTION stop_after(p_name text) RETURNS void LANGUAGE plpgsql AS $body$
    BEGIN
      IF (SELECT stops AND stopped_by IS NULL FROM batch) THEN
        UPDATE batch SET stopped_by = p_name;
        PERFORM end_all(7, p_name);
        PERFORM cancel_running();
      END IF;
    END $body$;

    """#
}
#endif
