{{- define "fingerpost.name" -}}
{{- printf "%s-%s" .Release.Name (default .Chart.Name .Values.nameOverride) | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "fingerpost.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "fingerpost.env" -}}
- {name: FINGERPOST_HTTP, value: "0.0.0.0:8080"}
- {name: FINGERPOST_LOG_LEVEL, value: {{ .Values.logLevel | quote }}}
{{- if .Values.otlp }}
- {name: FINGERPOST_OTLP, value: {{ .Values.otlp | quote }}}
{{- end }}
- {name: FINGERPOST_NATS_URL, value: {{ .Values.nats.url | quote }}}
{{- if and .Values.nats.user (eq .Values.nats.auth "password") }}
- {name: FINGERPOST_NATS_USER, value: {{ .Values.nats.user | quote }}}
{{- end }}
{{- if eq .Values.nats.auth "password" }}
- {name: FINGERPOST_NATS_PASSWORD_FILE, value: /secrets/nats_password}
{{- else if eq .Values.nats.auth "token" }}
- {name: FINGERPOST_NATS_TOKEN_FILE, value: /secrets/nats_token}
{{- end }}
- {name: FINGERPOST_S3_ENDPOINT, value: {{ .Values.s3.endpoint | quote }}}
{{- if .Values.s3.region }}
- {name: FINGERPOST_S3_REGION, value: {{ .Values.s3.region | quote }}}
{{- end }}
- {name: FINGERPOST_S3_ACCESS_KEY_FILE, value: /secrets/s3_access_key}
- {name: FINGERPOST_S3_SECRET_KEY_FILE, value: /secrets/s3_secret_key}
- {name: FINGERPOST_WEAVIATE_URL, value: {{ .Values.weaviate.url | quote }}}
- {name: FINGERPOST_WEAVIATE_GRPC, value: {{ .Values.weaviate.grpc | quote }}}
{{- if .Values.weaviate.apiKey }}
- {name: FINGERPOST_WEAVIATE_API_KEY_FILE, value: /secrets/weaviate_api_key}
{{- end }}
- {name: FINGERPOST_OLLAMA_URL, value: {{ .Values.ollama.url | quote }}}
- {name: FINGERPOST_OLLAMA_MODEL, value: {{ .Values.ollama.model | quote }}}
{{- range $name, $value := .Values.extraEnv }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end -}}
