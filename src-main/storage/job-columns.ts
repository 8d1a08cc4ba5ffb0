/** The columns of a job under the names of services/ports Job. */
export const JOB_COLUMNS = `
  seq, id, endpoint_id AS endpointId, status, low_priority AS lowPriority, attempt, retries, worker_id AS workerId,
  created_at AS createdAt, queued_at AS queuedAt, started_at AS startedAt, finished_at AS finishedAt,
  delay_ms AS delayMs, execution_ms AS executionMs, execution_timeout_ms AS executionTimeoutMs, ttl_ms AS ttlMs,
  retention_ms AS retentionMs, deadline_at AS deadlineAt, stream_cursor AS streamCursor, webhook, error,
  archived, COALESCE(place, seq) AS place`
