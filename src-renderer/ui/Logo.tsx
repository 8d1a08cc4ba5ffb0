/** The sign of Drydock. */
export function Logo({ className }: { readonly className: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden className={className}>
      <rect width="32" height="32" rx="7" className="fill-accent" />
      <path
        className="fill-on-accent"
        d="M5 20h22l-3.4 5.2a2 2 0 0 1-1.7.8H10.1a2 2 0 0 1-1.7-.8L5 20Zm4.5-3V9.5h4V17h-4Zm6 0V6h4v11h-4Zm6 0v-5h3v5h-3Z"
      />
    </svg>
  )
}
