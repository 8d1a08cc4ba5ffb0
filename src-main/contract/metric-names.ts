/** The only table of `/metrics`; a test compares resources/grafana with it. Counter samples append `_total`. */

export type MetricRow = {
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly help: string
  readonly labels?: readonly string[]
}

export const METRICS = {
  drydock_build_info: { type: 'gauge', help: 'Always 1; the label is the version.', labels: ['version'] },
  process_start_time_seconds: { type: 'gauge', help: 'When the service started, seconds since the epoch.' },
  process_cpu_seconds: { type: 'counter', help: 'Processor time of the service, without its workers.' },
  process_resident_memory_bytes: { type: 'gauge', help: 'Memory of the service, without its workers.' },
  drydock_event_loop_busy_seconds: { type: 'counter', help: 'Time that the event loop was busy.' },
  drydock_event_loop_delay_p99_seconds: {
    type: 'gauge',
    help: '99th percentile of the delay of the event loop since the previous scrape.',
  },
  drydock_event_loop_delay_max_seconds: {
    type: 'gauge',
    help: 'Longest delay of the event loop since the previous scrape.',
  },
  drydock_database_size_bytes: { type: 'gauge', help: 'Size of the database file.' },
  drydock_database_log_bytes: { type: 'gauge', help: 'Size of the write-ahead log.' },
  drydock_database_sync_seconds: { type: 'summary', help: 'Duration of write-ahead log syncs.' },
  drydock_disk_free_bytes: { type: 'gauge', help: 'Free space on the disk of the data folder.' },
  drydock_disk_size_bytes: { type: 'gauge', help: 'Size of the disk of the data folder.' },
  drydock_gpu_workers: {
    type: 'gauge',
    help: 'Workers that use a GPU of this machine; 0 if it is free.',
    labels: ['gpu', 'name'],
  },
  drydock_workers_max: { type: 'gauge', help: 'Maximum number of workers of all endpoints together.' },
  drydock_late_results: {
    type: 'counter',
    help: 'Results that arrived after their worker had lost the job.',
  },
  drydock_http_requests: {
    type: 'counter',
    help: 'Requests to the APIs, pages and load-balanced endpoints by the path of the route.',
    labels: ['route', 'method', 'status'],
  },
  drydock_trace_spans_exported: { type: 'counter', help: 'Spans that the trace collector accepted.' },
  drydock_trace_spans_dropped: {
    type: 'counter',
    help: 'Spans that were dropped because the trace collector did not accept them in time.',
  },
  drydock_endpoint_info: {
    type: 'gauge',
    help: 'Always 1; the labels describe the endpoint.',
    labels: ['endpoint', 'name', 'kind'],
  },
  drydock_jobs: {
    type: 'gauge',
    help: 'Unfinished jobs by state (open requests for load-balanced endpoints).',
    labels: ['endpoint', 'state'],
  },
  drydock_queue_jobs: { type: 'gauge', help: 'Waiting jobs, by priority.', labels: ['endpoint', 'priority'] },
  drydock_queue_oldest_seconds: {
    type: 'gauge',
    help: 'Waiting time of the oldest job; absent if no job is waiting.',
    labels: ['endpoint'],
  },
  drydock_jobs_submitted: {
    type: 'counter',
    help: 'Jobs submitted since the start of the service.',
    labels: ['endpoint'],
  },
  drydock_jobs_ended: {
    type: 'counter',
    help: 'Jobs that ended since the start of the service, by final state.',
    labels: ['endpoint', 'state'],
  },
  drydock_jobs_retried: {
    type: 'counter',
    help: 'Jobs that were queued again because their worker was lost, since the start of the service.',
    labels: ['endpoint'],
  },
  drydock_job_waiting_seconds: {
    type: 'histogram',
    help: 'Time that jobs waited for a worker.',
    labels: ['endpoint'],
  },
  drydock_job_execution_seconds: {
    type: 'histogram',
    help: 'Time that jobs ran on a worker.',
    labels: ['endpoint'],
  },
  drydock_workers: { type: 'gauge', help: 'Workers by state.', labels: ['endpoint', 'state'] },
  drydock_worker_cold_starts: {
    type: 'counter',
    help: 'Workers that became ready since the start of the service.',
    labels: ['endpoint'],
  },
} as const satisfies Readonly<Record<string, MetricRow>>

export type MetricName = keyof typeof METRICS
