/**
 * Stands in for axios, which orval's functions call by default and which each consumer brings along: what they and
 * their consumer use of it, over fetch. The types are those of axios 1.18: with 1.19 and later, what orval 7 generates
 * compiles for no contract.
 */
export interface AxiosRequestConfig {
  params?: object;
  headers?: Record<string, string>;
}

export interface AxiosResponse<T = unknown> {
  data: T;
  status: number;
  headers: Record<string, string>;
}

interface AxiosError<T> extends Error {
  response?: AxiosResponse<T>;
}

const defaults = { baseURL: '', headers: { common: {} as Record<string, string> } };

async function request<R>(method: string, path: string, data?: unknown, config: AxiosRequestConfig = {}): Promise<R> {
  const { params = {}, headers } = config;
  const url = new URL(path, defaults.baseURL);
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, String(value));
  const answer = await fetch(url, {
    method,
    headers: {
      ...defaults.headers.common,
      ...(data !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: data === undefined ? null : JSON.stringify(data),
  });
  const response = {
    data: await answer.json(),
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
  };
  if (!answer.ok) throw Object.assign(new Error(`Request failed with status code ${answer.status}`), { response });
  return response as R;
}

const withoutBody =
  (method: string) =>
  <T = unknown, R = AxiosResponse<T>>(path: string, config?: AxiosRequestConfig): Promise<R> =>
    request(method, path, undefined, config);
const withBody =
  (method: string) =>
  <T = unknown, R = AxiosResponse<T>>(path: string, data?: unknown, config?: AxiosRequestConfig): Promise<R> =>
    request(method, path, data, config);

export default {
  defaults,
  get: withoutBody('GET'),
  delete: withoutBody('DELETE'),
  post: withBody('POST'),
  put: withBody('PUT'),
  patch: withBody('PATCH'),
  isAxiosError: <T>(error: unknown): error is AxiosError<T> => error instanceof Error && 'response' in error,
};
