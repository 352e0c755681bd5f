#if Postgres
extension StoreSchema {
  /// Adding items.
  ///
  /// `settle_new` determines the states of blocked items from their dependencies. `add` returns the number of new items; or an
  /// item that the store has with other values, or a dependency that it does not have, and then adds nothing.
  static let adding = #"""
    CREATE FUNCTION settle_new(p_items bigint[], p_now timestamptz) RETURNS void LANGUAGE plpgsql AS $body$
    DECLARE
      v_stopped_by text;
      v_fallen record;
    BEGIN
      SELECT stopped_by INTO v_stopped_by FROM batch;
      IF v_stopped_by IS NOT NULL THEN
        FOR v_fallen IN SELECT id FROM item WHERE id = ANY (p_items) AND state = 0 ORDER BY id LOOP
          PERFORM conclude_skipped(v_fallen.id, convert_to(v_stopped_by, 'UTF8'));
        END LOOP;
        RETURN;
      END IF;
      FOR v_fallen IN SELECT DISTINCT ON (item.id) item.id,
          CASE WHEN d.state = 7 THEN o.message ELSE convert_to(d.name, 'UTF8') END AS cause
        FROM item JOIN need ON need.item = item.id JOIN item d ON d.id = need.dependency
          LEFT JOIN outcome o ON o.position = d.position
        WHERE item.id = ANY (p_items) AND item.state = 0 AND d.state IN (5, 6, 7) ORDER BY item.id, d.position LOOP
        PERFORM conclude_skipped(v_fallen.id, v_fallen.cause);
      END LOOP;
      UPDATE item SET waits = (SELECT count(*) FROM need JOIN item d ON d.id = need.dependency
        WHERE need.item = item.id AND d.state <> 4), since = p_now WHERE id = ANY (p_items) AND state = 0;
      UPDATE item SET state = CASE WHEN is_paused THEN 8 ELSE 1 END
        WHERE id = ANY (p_items) AND state = 0 AND waits = 0;
    END $body$;

    CREATE FUNCTION conclude_skipped(p_item bigint, p_cause bytea) RETURNS void LANGUAGE plpgsql AS $body$
    DECLARE
      v_position bigint;
    BEGIN
      SELECT position + 1 INTO v_position FROM batch;
      UPDATE item SET state = 7, is_paused = false, is_cancelling = false, position = v_position
        WHERE id = p_item AND state = 0;
      -- As a dependent of another one, it may have been skipped already.
      IF NOT FOUND THEN RETURN; END IF;
      INSERT INTO outcome(position, item, state, message) VALUES (v_position, p_item, 7, p_cause);
      PERFORM fall(p_item, convert_from(p_cause, 'UTF8'));
    END $body$;

    CREATE FUNCTION add(
      p_names text[], p_jobs text[], p_inputs bytea[], p_hosts text[], p_priorities bigint[], p_expected bigint[],
      p_needs bytea[], p_dependents text[], p_dependencies text[], p_outside text[])
      RETURNS TABLE(added bigint, conflict text, missing text) LANGUAGE plpgsql AS $body$
    DECLARE
      v_now timestamptz := pass_time();
      v_last bigint;
      v_is_stopped boolean;
    BEGIN
      SELECT o.name INTO missing FROM unnest(p_outside) WITH ORDINALITY AS o(name, place)
        WHERE NOT EXISTS (SELECT FROM item WHERE item.name = o.name) ORDER BY o.place LIMIT 1;
      SELECT g.name INTO conflict FROM unnest(p_names, p_jobs, p_inputs, p_hosts, p_expected, p_needs) WITH ORDINALITY
          AS g(name, job, input, host, expected, needs, place)
        JOIN item i ON i.name = g.name JOIN work w ON w.item = i.id LEFT JOIN host h ON h.id = i.host
        WHERE (w.job, w.input, w.needs, w.expected, h.name) IS DISTINCT FROM (g.job, g.input, g.needs, g.expected, g.host)
        ORDER BY g.place LIMIT 1;
      IF missing IS NOT NULL OR conflict IS NOT NULL THEN
        RETURN NEXT;
        RETURN;
      END IF;
      SELECT stopped_by IS NOT NULL INTO v_is_stopped FROM batch;
      SELECT coalesce(max(id), 0) INTO v_last FROM item;
      INSERT INTO host(name) SELECT DISTINCT h.name FROM unnest(p_hosts) AS h(name) WHERE h.name IS NOT NULL
        ON CONFLICT DO NOTHING;
      INSERT INTO item(name, host, priority, state, since, size)
        SELECT g.name, coalesce(h.id, 0), g.priority,
          CASE WHEN v_is_stopped OR length(g.needs) > 0 THEN 0 ELSE 1 END, v_now, bounded(g.expected)
          FROM unnest(p_names, p_hosts, p_priorities, p_expected, p_needs) WITH ORDINALITY
            AS g(name, host, priority, expected, needs, place)
          LEFT JOIN host h ON h.name = g.host
          WHERE NOT EXISTS (SELECT FROM item WHERE item.name = g.name) ORDER BY g.place;
      GET DIAGNOSTICS added = ROW_COUNT;
      IF added > 0 THEN
        INSERT INTO work SELECT i.id, g.job, g.input, g.needs, g.expected, NULL
          FROM unnest(p_names, p_jobs, p_inputs, p_needs, p_expected) AS g(name, job, input, needs, expected)
          JOIN item i ON i.name = g.name WHERE i.id > v_last;
        INSERT INTO need SELECT d.id, i.id FROM unnest(p_dependents, p_dependencies) AS n(item, dependency)
          JOIN item i ON i.name = n.item JOIN item d ON d.name = n.dependency WHERE i.id > v_last
          ON CONFLICT DO NOTHING;
        IF v_is_stopped OR cardinality(p_dependents) > 0 THEN
          PERFORM settle_new(ARRAY(SELECT id FROM item WHERE id > v_last AND state = 0), v_now);
        END IF;
      END IF;
      RETURN NEXT;
    END $body$;

    """#
}
#endif
