#if Postgres
extension StoreSchema {
  /// Leases: granting, extending and giving back.
  ///
  /// `lease` locks the rows that it takes with `SKIP LOCKED`. Other workers of the store hold no rows then, since changes come one
  /// after the other, but an operator's open transaction may; its items are passed over and delay nobody.
  ///
  /// The first statement takes what it can at once: everything, unless an item is beyond the age limit or the limit of a host hides
  /// heads. The loop takes the rest, one by one. As each item comes after the head of its host and priority, those of the first `v_free`
  /// heads are enough, up to the head after them.
  static let leasing = #"""
    CREATE FUNCTION lease(p_count bigint, p_duration bigint, p_claim bytea, p_is_repeated boolean)
      RETURNS TABLE(is_complete boolean, revision bigint, name text, token bigint, job text, input bytea, needs bytea,
        host text, priority bigint, expected bigint, retries bigint, note bytea) LANGUAGE plpgsql AS $body$
    #variable_conflict use_column
    DECLARE
      v_now timestamptz := pass_time();
      v_batch batch;
      v_head head;
      v_aged head;
      v_item bigint;
      v_free bigint;
      v_taken bigint[] := '{}';
      v_locked text[] := '{}';
    BEGIN
      IF p_is_repeated THEN
        v_taken := ARRAY(SELECT i.id FROM item i WHERE i.state = 3 AND i.claim = p_claim ORDER BY i.token);
      END IF;
      IF cardinality(v_taken) = 0 THEN
        SELECT * INTO v_batch FROM batch;
        v_free := least(p_count, v_batch."limit" - v_batch.running);
        IF NOT v_batch.is_paused AND v_free > 0 AND NOT EXISTS (
          SELECT FROM head h WHERE h.since <= v_now - v_batch.age_limit * interval '1 microsecond'
            AND h.priority < (SELECT max(priority) FROM head)) THEN
          WITH eligible AS (
              SELECT h.host, h.priority, h.since, h.item, host.running,
                row_number() OVER (ORDER BY h.priority DESC, h.since, h.item) AS rank
                FROM head h LEFT JOIN host ON host.id = h.host
                WHERE h.host = 0 OR v_batch.per_host IS NULL OR host.running < v_batch.per_host),
            candidate AS (
              SELECT i.id, i.since, e.host, e.priority, e.running,
                row_number() OVER (PARTITION BY e.host ORDER BY e.priority DESC, i.since, i.id) AS place
                FROM eligible e CROSS JOIN LATERAL (
                  SELECT item.id, item.since FROM item
                    WHERE item.state = 1 AND item.host = e.host AND item.priority = e.priority
                    ORDER BY item.since, item.id
                    LIMIT CASE WHEN v_batch.per_host IS NULL THEN v_free - e.rank + 1 WHEN e.host = 0 THEN v_free
                      ELSE least(v_free, v_batch.per_host - e.running) END
                    FOR UPDATE SKIP LOCKED) i
                WHERE e.rank <= v_free),
            chosen AS (
              SELECT c.id, row_number() OVER (ORDER BY c.priority DESC, c.since, c.id) AS number FROM candidate c
                WHERE (c.host = 0 OR v_batch.per_host IS NULL OR c.place <= v_batch.per_host - c.running)
                  AND NOT EXISTS (SELECT FROM eligible e WHERE e.rank = v_free + 1
                    AND (-e.priority, e.since, e.item) < (-c.priority, c.since, c.id))
                ORDER BY number LIMIT v_free),
            leased AS (
              UPDATE item SET state = 3, token = v_batch.token + chosen.number, claim = p_claim,
                due = v_now + p_duration * interval '1 microsecond'
                FROM chosen WHERE item.id = chosen.id RETURNING item.id)
            SELECT coalesce(array_agg(id), '{}') INTO v_taken FROM leased;
          IF v_batch.was_aged AND cardinality(v_taken) > 0 THEN UPDATE batch SET was_aged = false; END IF;
        END IF;
        LOOP
          SELECT * INTO v_batch FROM batch;
          EXIT WHEN v_batch.is_paused OR v_batch.running >= v_batch."limit" OR cardinality(v_taken) >= p_count;
          -- Without a row, the variable would be null.
          SELECT h.* INTO v_head FROM head h LEFT JOIN host ON host.id = h.host
            WHERE (h.host = 0 OR v_batch.per_host IS NULL OR host.running < v_batch.per_host)
              AND (h.host || ' ' || h.priority) <> ALL (v_locked)
            ORDER BY h.priority DESC, h.since, h.item LIMIT 1;
          EXIT WHEN NOT FOUND;
          -- After a lease for an item beyond the age limit, the next one goes by priority.
          v_aged := NULL;
          IF NOT v_batch.was_aged AND v_batch.age_limit IS NOT NULL THEN
            SELECT h.* INTO v_aged FROM head h LEFT JOIN host ON host.id = h.host
              WHERE (h.host = 0 OR v_batch.per_host IS NULL OR host.running < v_batch.per_host)
                AND (h.host || ' ' || h.priority) <> ALL (v_locked) AND h.priority < v_head.priority
                AND h.since <= v_now - v_batch.age_limit * interval '1 microsecond'
              ORDER BY h.since, h.item LIMIT 1;
          END IF;
          IF v_batch.was_aged <> (v_aged.item IS NOT NULL) THEN
            UPDATE batch SET was_aged = NOT was_aged;
          END IF;
          IF v_aged.item IS NOT NULL THEN v_head := v_aged; END IF;
          SELECT i.id INTO v_item FROM item i
            WHERE i.state = 1 AND i.host = v_head.host AND i.priority = v_head.priority
            ORDER BY i.since, i.id LIMIT 1 FOR UPDATE SKIP LOCKED;
          IF NOT FOUND THEN
            v_locked := v_locked || (v_head.host || ' ' || v_head.priority);
            CONTINUE;
          END IF;
          UPDATE item SET state = 3, token = v_batch.token + 1, claim = p_claim,
            due = v_now + p_duration * interval '1 microsecond' WHERE id = v_item;
          v_taken := v_taken || v_item;
        END LOOP;
      END IF;
      RETURN QUERY SELECT b.blocked + b.ready + b.running + b.paused = 0, b.revision, NULL::text, NULL::bigint, NULL::text,
        NULL::bytea, NULL::bytea, NULL::text, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bytea FROM batch b;
      RETURN QUERY SELECT false, 0::bigint, i.name, i.token, w.job, w.input, w.needs, h.name, i.priority::bigint, w.expected,
        i.retries, w.note FROM item i JOIN work w ON w.item = i.id LEFT JOIN host h ON h.id = i.host
        WHERE i.id = ANY (v_taken) ORDER BY i.token;
    END $body$;

    CREATE FUNCTION renew(
      p_names text[], p_tokens bigint[], p_completed bigint[], p_totals bigint[], p_notes bytea[], p_duration bigint)
      RETURNS TABLE(answer bigint) LANGUAGE plpgsql AS $body$
    DECLARE
      v_now timestamptz := pass_time();
    BEGIN
      UPDATE item SET due = v_now + p_duration * interval '1 microsecond', completed = greatest(r.completed, 0),
        size = coalesce(bounded(r.total), size)
        FROM unnest(p_names, p_tokens, p_completed, p_totals) AS r(name, token, completed, total)
        WHERE item.name = r.name AND item.token = r.token AND item.state = 3;
      UPDATE work SET note = r.note FROM unnest(p_names, p_tokens, p_notes) AS r(name, token, note)
        JOIN item i ON i.name = r.name AND i.token = r.token AND i.state = 3
        WHERE work.item = i.id AND r.note IS NOT NULL;
      RETURN QUERY SELECT CASE WHEN i.id IS NULL THEN 3 WHEN i.is_cancelling THEN 2
          WHEN i.is_paused OR (SELECT b.is_paused FROM batch b) THEN 1 ELSE 0 END::bigint
        FROM unnest(p_names, p_tokens) WITH ORDINALITY AS r(name, token, place)
        LEFT JOIN item i ON i.name = r.name AND i.token = r.token AND i.state = 3 ORDER BY r.place;
    END $body$;

    CREATE FUNCTION release(p_name text, p_token bigint, p_wait bigint, p_is_repeated boolean)
      RETURNS boolean LANGUAGE plpgsql AS $body$
    DECLARE
      v_now timestamptz := pass_time();
      v_item item;
    BEGIN
      SELECT * INTO v_item FROM item WHERE name = p_name AND token = p_token;
      IF NOT FOUND THEN RETURN false; END IF;
      IF v_item.state <> 3 THEN RETURN p_is_repeated; END IF;
      UPDATE item SET losses = 0, retries = retries + (p_wait IS NOT NULL)::integer
        WHERE id = v_item.id AND (losses > 0 OR p_wait IS NOT NULL);
      IF p_wait IS NULL OR v_item.is_cancelling OR v_item.is_paused OR unmet_needs(v_item.id) > 0 THEN
        PERFORM give_back(v_item.id, v_now);
      ELSE
        UPDATE item SET state = CASE WHEN p_wait > 0 THEN 2 ELSE 1 END, due = v_now + p_wait * interval '1 microsecond',
          since = v_now + p_wait * interval '1 microsecond' WHERE id = v_item.id;
      END IF;
      RETURN true;
    END $body$;

    """#
}
#endif
