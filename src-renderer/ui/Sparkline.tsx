const WIDTH = 120
const HEIGHT = 20

export function Sparkline({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const most = Math.max(...values, 1)
  const step = WIDTH / Math.max(values.length, 1)
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="h-5 w-full max-w-30"
      preserveAspectRatio="none"
    >
      <title>{label}</title>
      <path d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} className="stroke-line" strokeWidth="1" />
      <path d={bars(values, most, step)} className="fill-running" />
    </svg>
  )
}

// Values above 0 always have a visible bar.
function bars(values: readonly number[], most: number, step: number): string {
  return values
    .map((value, at) => {
      if (value === 0) return ''
      const height = Math.max(1.5, (value / most) * (HEIGHT - 1))
      return `M${(at * step).toFixed(2)} ${HEIGHT}v${-height.toFixed(2)}h${(step * 0.75).toFixed(2)}v${height.toFixed(2)}z`
    })
    .join('')
}
