/** The series of a page of metrics, by name and labels as they are written there. */
export type Series = ReadonlyMap<string, number>;

/** Reads a page of metrics in Prometheus' text format. */
function readSeries(page: string): Series {
  const lines = page.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(" ");
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** The names of the families on a page of metrics. */
export function familiesOf(page: string): ReadonlySet<string> {
  return new Set([...page.matchAll(/^# TYPE (?<name>\S+) /gmu)].map((match) => match.groups?.["name"] ?? ""));
}

/** Gets the metrics of a server. */
export async function fetchMetrics(url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await fetch(`${url}/metrics`, { headers });
  if (!response.ok) throw new Error(`/metrics answered ${response.status}`);
  return response.text();
}

/** Gets the series of a server. */
export async function fetchSeries(url: string): Promise<Series> {
  return readSeries(await fetchMetrics(url));
}
