/**
 * The only table of `/metrics`; a test compares resources/grafana with it, docs/spec/monitoring.md lists it. Counter
 * samples append `_total`.
 */

/** Facts of a family. Units are in the names. */
export type MetricRow = {
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly help: string
  /** Names of its labels, in the order of output. */
  readonly labels?: readonly string[]
}

/** The rows, in the order in which the page lists them. */
export const METRICS = {
  drydock_build_info: { type: 'gauge', help: 'Always 1; the label is the version.', labels: ['version'] },
  process_start_time_seconds: { type: 'gauge', help: 'When the service started, seconds since the epoch.' },
  process_cpu_seconds: { type: 'counter', help: 'Processor time of the service, without its workers.' },
  process_resident_memory_bytes: { type: 'gauge', help: 'Memory of the service, without its workers.' },
  drydock_event_loop_busy_seconds: { type: 'counter', help: 'Time in which the event loop worked.' },
  drydock_event_loop_delay_p99_seconds: {
    type: 'gauge',
    help: 'Delay of the event loop that 99 of 100 turns kept below, since the scrape before.',
  },
  drydock_event_loop_delay_max_seconds: {
    type: 'gauge',
    help: 'Longest delay of the event loop since the scrape before.',
  },
  drydock_database_size_bytes: { type: 'gauge', help: 'Size of the database file.' },
  drydock_database_log_bytes: { type: 'gauge', help: 'Size of the write-ahead log.' },
  drydock_database_sync_seconds: { type: 'summary', help: 'Syncs of the write-ahead log to the disk.' },
  drydock_disk_free_bytes: { type: 'gauge', help: 'Free space on the disk of the data folder.' },
  drydock_disk_size_bytes: { type: 'gauge', help: 'Size of the disk of the data folder.' },
  drydock_gpu_workers: {
    type: 'gauge',
    help: 'Workers that hold a card of this machine; 0: it is free.',
    labels: ['gpu', 'name'],
  },
  drydock_workers_max: { type: 'gauge', help: 'How many workers all endpoints together may have.' },
  drydock_late_results: {
    type: 'counter',
    help: 'Results that came after the job had been taken from the worker.',
  },
  drydock_http_requests: {
    type: 'counter',
    help: 'Requests to the APIs, pages and load-balanced endpoints by the path of the route.',
    labels: ['route', 'method', 'status'],
  },
  drydock_trace_spans_exported: { type: 'counter', help: 'Spans that the collector of traces has taken.' },
  drydock_trace_spans_dropped: {
    type: 'counter',
    help: 'Spans that were dropped because the collector of traces did not take them in time.',
  },
  drydock_endpoint_info: {
    type: 'gauge',
    help: 'Always 1; the labels say what an endpoint is.',
    labels: ['endpoint', 'name', 'kind'],
  },
  drydock_jobs: {
    type: 'gauge',
    help: 'Jobs that have not ended, by state; of load-balanced endpoints requests.',
    labels: ['endpoint', 'state'],
  },
  drydock_queue_jobs: { type: 'gauge', help: 'Jobs that wait, by priority.', labels: ['endpoint', 'priority'] },
  drydock_queue_oldest_seconds: {
    type: 'gauge',
    help: 'How long the oldest job has waited; missing where none waits.',
    labels: ['endpoint'],
  },
  drydock_jobs_submitted: { type: 'counter', help: 'Jobs that came, since the start.', labels: ['endpoint'] },
  drydock_jobs_ended: {
    type: 'counter',
    help: 'Jobs that ended, by their last state, since the start.',
    labels: ['endpoint', 'state'],
  },
  drydock_jobs_retried: {
    type: 'counter',
    help: 'Jobs that were queued again because their worker was lost, since the start.',
    labels: ['endpoint'],
  },
  drydock_job_waiting_seconds: {
    type: 'histogram',
    help: 'How long jobs waited until a worker had them.',
    labels: ['endpoint'],
  },
  drydock_job_execution_seconds: {
    type: 'histogram',
    help: 'How long jobs ran at a worker.',
    labels: ['endpoint'],
  },
  drydock_workers: { type: 'gauge', help: 'Workers by state.', labels: ['endpoint', 'state'] },
  drydock_worker_cold_starts: {
    type: 'counter',
    help: 'Workers that started and became ready, since the start of the service.',
    labels: ['endpoint'],
  },
} as const satisfies Readonly<Record<string, MetricRow>>

export type MetricName = keyof typeof METRICS
