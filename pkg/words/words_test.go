package words

import (
	"slices"
	"strings"
	"testing"
)

func TestAnalyze(t *testing.T) {
	for _, c := range []struct {
		lang Language
		text string
		want string
	}{
		{English, "The Company's goodwill was not impaired at the end of 2022.", "compani goodwil not impair end 2022"},
		{English, "Net sales of $2,648 million; 1,234,567.89 and 12,34", "net sale 2648 million 1234567.89 12 34"},
		{English, "16.5% 4.12 (2,648) -3.0", "16.5 4.12 2648 3.0"},
		{English, "read_timeout __init__", "read_timeout read timeout init"},
		{English, "GET `/healthz` and /api/v1/users", "get /healthz healthz /api/v1/users api v1 user"},
		{English, "and/or long-term self-attention/cross", "long term self attent cross"},
		{English, "<td>income</td>", "td incom td"},
		{English, "IdleConns idleconns HTTPServer", "idleconn idl conn idleconn httpserver http server"},
		{English, "GaLore and PepsiCo", "galor lore pepsico pepsi"},
		{English, "Table A2.1.1 and 4.12.3", "tabl a2.1.1 a2 4.12.3"},
		{English, "Form 10-K, 10-K/A, 10K", "form 10-k 10 k 10-k/a 10 10k"},
		{English, "Section 3.2(b) and 401(k)(2)", "section 3.2(b) 3.2 401(k)(2) 401"},
		{English, "FY2022 IPv6 Q4 sha256", "fy2022 fy 2022 ipv6 q4 sha256 sha 256"},
		{English, "U.S. GAAP, the US, i.e. AT&T", "us gaap us ie at&t t"},
		{English, "2022-12-31 12/31/2022", "2022-12-31 2022 12 31 12/31/2022 12 31 2022"},
		{English, "Nestlé ﬁnancial naïve", "nestl financi naiv"},
		{English, "Nestle financial naive", "nestl financi naiv"},
		{English, "don’t co\u00adoperate", "don't cooper"},
		{English, "Fig.3 www.sec.gov", "fig.3 fig 3 www.sec.gov www sec gov"},
		{English, "2,648¹ m²", "2648 m"},
		{German, "Die Bäume wuchsen um 3,5 % auf 2.648.000,50 Euro", "baum wuchs 3.5 2648000.50 euro"},
		{German, "Abschnitt 4.12, 2.648", "abschnitt 4.12 2648"},
		{Russian, "Ещё о прибыли: 2\u00a0648,5 тыс. рублей в 2022\u00a0году", "ещ приб 2648.5 тыс рубл 2022 год"},
		{Russian, "Статья 15.1 не применяется", "стат 15.1 не применя"},
		{None, "Les Ventes de 2,648", "les ventes de 2648"},
		{English, "東京都庁 日", "東京 京都 都庁 日"},
		{English, "", ""},
		{English, "—…()[]{}'\"&&__--..,,", ""},
		{English, "\xff\xfe bad \x00 bytes", "bad byte"},
	} {
		if got := strings.Join(Analyze(c.text, c.lang), " "); got != c.want {
			t.Errorf("%s %q\n got %s\nwant %s", c.lang, c.text, got, c.want)
		}
	}
}

func TestQuestionCountsAWordOnce(t *testing.T) {
	got := Question("Goodwill 2022, goodwill Прибыли", []Language{English, Russian})
	want := []string{"goodwil", "2022", "goodwil", "прибыли", "goodwill", "goodwill", "приб"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestQuestionLeavesOutItsStopWordsInEveryLanguage(t *testing.T) {
	got := strings.Join(Question("What was the goodwill at the end of 2025?", []Language{English, German, Russian}), " ")
	if want := "goodwil end 2025 goodwill"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
